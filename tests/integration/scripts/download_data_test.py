"""Runs scripts/download_data.sh with small tables of files that a local server has."""
import hashlib
import http.server
import importlib.util
import io
import os
import pathlib
import re
import shutil
import subprocess
import tarfile
import tempfile
import threading
import unittest
import zipfile

PROJECT = pathlib.Path(__file__).resolve().parents[3]


def archive(files):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


def wheel(files):
    """A pure wheel of package few_weights 0.1.0, good enough for pip download."""
    info = "few_weights-0.1.0.dist-info/"
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as packed:
        for name, content in {**files, info + "METADATA": "Metadata-Version: 2.1\nName: few-weights\nVersion: 0.1.0\n",
                              info + "WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
                              info + "RECORD": ""}.items():
            packed.writestr(name, content)
    return buffer.getvalue()


class Server(http.server.ThreadingHTTPServer):
    """Serves `files`, notes where each transfer began, ends those in `broken_off` in the middle."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files, self.begins, self.broken_off, self.continues = {}, [], set(), True
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        content = self.server.files.get(self.path)
        if content is None:
            self.send_error(404)
            return
        wanted = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        begin = int(wanted[1]) if wanted and self.server.continues else 0
        self.server.begins.append((self.path, begin))
        if begin >= len(content):
            self.send_error(416)
            return
        self.send_response(206 if begin else 200)
        if begin:
            self.send_header("Content-Range", f"bytes {begin}-{len(content) - 1}/{len(content)}")
        self.send_header("Content-Length", len(content) - begin)
        self.end_headers()
        end = len(content) // 2 if self.path in self.server.broken_off else len(content)
        self.wfile.write(content[begin:end])

    def log_message(self, *_):
        pass


def md5(content):
    return "md5:" + hashlib.md5(content).hexdigest()


def sha256(content):
    return "sha256:" + hashlib.sha256(content).hexdigest()


DIGITS, LABELS, MATRIX = b"digits" * 5000, b"labels", b"matrix"
PHOTOS = archive({"images/a.jpg": b"a", "images/b.jpg": bytes(3000)})
NOTES = archive({"annotations/trainval.txt": b"a 1 1 1\n"})
BATCHES = archive({"cifar-10-batches-bin/test_batch.bin": b"\x01" * 3073})
FLOWERS = archive({"jpg/image_00001.jpg": b"f"})
WEIGHTS, PACKED = b"weights" * 1000, b"packed weights"

HOST = "https://nowhere.invalid"
SERVED = {"/m/digits.gz": DIGITS, "/m/labels.gz": LABELS, "/p/images.tar.gz": PHOTOS, "/p/notes.tar.gz": NOTES,
          "/c/batches.tar.gz": BATCHES, "/f/flowers.tgz": FLOWERS, "/f/labels.mat": MATRIX, "/w/few.pth": WEIGHTS}
TABLE = f"""# set gives drop MB checksum address
mnist digits.gz - 1 {sha256(DIGITS)} {HOST}/m/digits.gz
mnist labels.gz - 1 {sha256(LABELS)} {HOST}/m/labels.gz
pets images 0 1 {md5(PHOTOS)} {HOST}/p/images.tar.gz
pets annotations/trainval.txt 0 1 {md5(NOTES)} {HOST}/p/notes.tar.gz
cifar test_batch.bin 1 1 {md5(BATCHES)} {HOST}/c/batches.tar.gz
flowers jpg 0 1 {md5(FLOWERS)} {HOST}/f/flowers.tgz
flowers labels.mat - 1 {md5(MATRIX)} {HOST}/f/labels.mat
other_layout images 1 1 {md5(PHOTOS)} {HOST}/p/images.tar.gz
no_archive images 0 1 {md5(DIGITS)} {HOST}/m/digits.gz
vast images 0 9999999 {md5(PHOTOS)} {HOST}/p/images.tar.gz
"""
YAML = f"""# name: {{file: not_this}}
few_v1:
  {{model: few, file: few.pth, folder: weights, sha256: "{sha256(WEIGHTS)[7:15]}", mb: 1,
   url: "{HOST}/w/few.pth",
   source: "a page, with a comma"}}
few_v2:
  {{model: few, file: few_v2.pth, folder: weights, sha256: "00000000", mb: 1, url: "{HOST}/w/few.pth", source: "a"}}
few_packed:
  {{model: few, file: packed.pth, folder: packed, sha256: "{sha256(PACKED)[7:23]}", mb: 1, pypi: "few-weights==0.1.0",
   source: "PyPI"}}
"""


class DownloadDataTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.project = pathlib.Path(folder.name)
        self.root = self.project / "data" / "raw"
        for name in "scripts", "third_party", "models", "wheels":
            (self.project / name).mkdir()
        shutil.copy(PROJECT / "scripts" / "download_data.sh", self.project / "scripts")
        self.plant("third_party/datasets.txt", TABLE)
        self.plant("models/weights.yaml", YAML)
        self.server = Server()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.server.files = dict(SERVED)

    def plant(self, path, content):
        file = self.project / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())

    def run_script(self, *arguments, code=0):
        """What the script says, after a look at its exit code and at its stdout, the folder where everything is."""
        environment = {**os.environ, "SCOREVI_DOWNLOAD_FROM": f"http://127.0.0.1:{self.server.server_port}",
                       "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(self.project / "wheels"), "no_proxy": "*"}
        done = subprocess.run([self.project / "scripts" / "download_data.sh", *arguments], env=environment, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        if code != 0:
            self.assertEqual(done.stdout, "")
            self.assertRegex(done.stderr.splitlines()[-1], "^download_data: ")
        return done.stderr

    def files(self):
        return {str(path.relative_to(self.root)): path.read_bytes() for path in self.root.rglob("*") if path.is_file()}

    def test_default_sets_fresh_and_again(self):
        self.run_script("--root", str(self.root), "mnist")
        whole = {"mnist/digits.gz": DIGITS, "mnist/labels.gz": LABELS}
        self.assertEqual(self.files(), whole)
        fetched = list(self.server.begins)
        self.assertEqual(self.run_script("mnist").count(" is there"), 2)
        self.assertEqual(self.server.begins, fetched)
        self.plant("data/raw/mnist/labels.gz", b"damaged")
        self.run_script("mnist")
        self.assertEqual(self.files(), whole)

    def test_archives_fresh_and_again(self):
        self.run_script("pets", "cifar", "flowers")
        self.assertEqual(self.files(), {
            "pets/images/a.jpg": b"a", "pets/images/b.jpg": bytes(3000), "pets/annotations/trainval.txt": b"a 1 1 1\n",
            "cifar/test_batch.bin": b"\x01" * 3073, "flowers/jpg/image_00001.jpg": b"f", "flowers/labels.mat": MATRIX})
        self.assertEqual({path.name for path in self.root.iterdir()}, {"pets", "cifar", "flowers"})
        fetched = list(self.server.begins)
        self.assertEqual(self.run_script("pets", "cifar", "flowers").count(" is there"), 3)
        self.assertEqual(self.server.begins, fetched)

    def test_broken_off_transfer_is_continued(self):
        for path, name in ("/m/digits.gz", ["mnist"]), ("/p/images.tar.gz", ["pets"]), ("/w/few.pth", ["weights", "few_v1"]):
            self.server.broken_off = {path}
            said = self.run_script(*name, code=1)
            self.assertIn(f"could not fetch {HOST}{path} (", said)
            self.assertIn("run the script again to continue", said)
            self.server.broken_off = set()
            self.run_script(*name)
            self.assertIn((path, len(SERVED[path]) // 2), self.server.begins)
        self.assertEqual(self.files()["mnist/digits.gz"], DIGITS)
        self.assertEqual(self.files()["pets/images/a.jpg"], b"a")
        self.assertEqual(self.files()["weights/few.pth"], WEIGHTS)

    def test_server_that_cannot_continue(self):
        self.server.continues = False
        self.plant("data/raw/mnist/digits.gz.part", DIGITS[:100])
        self.run_script("mnist")
        self.assertEqual(self.files(), {"mnist/digits.gz": DIGITS, "mnist/labels.gz": LABELS})

    def test_stopped_before_the_rename(self):
        self.plant("data/raw/mnist/digits.gz.part", DIGITS)
        self.plant("data/raw/pets.partial/images.tar.gz", PHOTOS)
        self.plant("data/raw/pets.partial/new/images/half.jpg", b"half")
        self.run_script("mnist", "pets")
        self.assertEqual([path for path, _ in self.server.begins], ["/m/labels.gz", "/p/notes.tar.gz"])
        self.assertNotIn("pets/images/half.jpg", self.files())

    def test_wrong_checksum(self):
        self.server.files = {path: b"another file" for path in SERVED}
        for name, checksum in (["mnist"], "sha256"), (["pets"], "md5"), (["weights", "few_v1"], "sha256"):
            said = self.run_script(*name, code=1)
            self.assertRegex(said, f"what came is not the known file \\({checksum}\\); removed")
            self.assertEqual(self.files(), {})

    def test_broken_off_file_that_is_too_long(self):
        self.plant("data/raw/mnist/digits.gz.part", DIGITS + b"more")
        self.assertIn("removed", self.run_script("mnist", code=1))
        self.run_script("mnist")
        self.assertEqual(self.files()["mnist/digits.gz"], DIGITS)

    def test_missing_on_the_server(self):
        self.server.files = {"/p/images.tar.gz": PHOTOS}
        for name in ["mnist"], ["pets"], ["weights", "few_v1"]:
            said = self.run_script(*name, code=1)
            self.assertIn("404", said)
            self.assertEqual(said.count("could not fetch"), 1)
        self.assertFalse((self.root / "pets").exists())

    def test_folder_that_is_not_the_whole_set(self):
        self.plant("data/raw/pets/annotations/trainval.txt", b"mine")
        self.assertIn(f"{self.root}/pets is there without images; move it away", self.run_script("pets", code=1))
        self.assertEqual(self.files(), {"pets/annotations/trainval.txt": b"mine"})
        (self.root / "cifar").mkdir()
        self.run_script("cifar")
        self.assertIn("cifar/test_batch.bin", self.files())

    def test_archive_that_cannot_be_used(self):
        self.assertIn("the archives hold no images", self.run_script("other_layout", code=1))
        self.assertIn("could not unpack", self.run_script("no_archive", code=1))
        self.assertEqual([path.name for path in self.root.iterdir() if path.suffix != ".partial"], [])

    def test_too_little_room(self):
        self.assertRegex(self.run_script("vast", code=1), r"21999997 MB are needed, \d+ MB are free")
        self.assertEqual(self.server.begins, [])

    def test_weights(self):
        self.run_script("weights", "few_v1")
        self.assertEqual(self.files(), {"weights/few.pth": WEIGHTS})
        self.assertIn("weights/few.pth is there", self.run_script("cifar", "weights", "few_v1"))
        self.assertEqual(len(self.server.begins), 2)
        self.assertIn("is not the known file", self.run_script("weights", "few_v2", code=1))
        self.assertIn("is not the known file", self.run_script("weights", "all", code=1))
        self.assertEqual(set(self.files()), {"weights/few.pth", "cifar/test_batch.bin"})

    @unittest.skipUnless(importlib.util.find_spec("pip"), "pip is not installed")
    def test_weights_in_a_wheel(self):
        self.assertIn("pip could not fetch few-weights==0.1.0", self.run_script("weights", "few_packed", code=1))
        path = "wheels/few_weights-0.1.0-py3-none-any.whl"
        self.plant(path, wheel({"few/models/packed.pth": b"other weights"}))
        self.assertIn("what came holds no known packed.pth", self.run_script("weights", "few_packed", code=1))
        self.plant(path, wheel({"few/models/packed.pth": PACKED}))
        self.run_script("weights", "few_packed")
        self.assertEqual(self.files(), {"packed/packed.pth": PACKED})
        self.assertIn("packed/packed.pth is there", self.run_script("weights", "few_packed"))

    def test_usage(self):
        for arguments, said in [(["zebra"], "unknown data set zebra"), (["mnist", "zebra"], "unknown data set zebra"),
                                (["all"], "unknown data set all"), (["weights", "few"], "unknown weights few"),
                                (["weights"], "weights needs names"), (["--root"], "--root needs a folder"),
                                (["--zebra"], "unknown option --zebra")]:
            self.assertIn(said, self.run_script(*arguments, code=2))
        self.assertFalse(self.root.exists())

    def test_help_lists_everything(self):
        text = subprocess.run([PROJECT / "scripts" / "download_data.sh", "--help"], capture_output=True, text=True,
                              check=True).stdout
        rows = [line.split() for line in (PROJECT / "third_party" / "datasets.txt").read_text().splitlines()
                if not line.startswith("#")]
        for row in rows:
            self.assertRegex(" ".join(row), r"^\w+ \S+ [-\d] \d+ (md5:[0-9a-f]{32}|sha256:[0-9a-f]{64}) https?://\S+$")
        entries = re.split(r"^(?=\w+:$)", (PROJECT / "models" / "weights.yaml").read_text(), flags=re.M)[1:]
        for entry in entries:
            self.assertRegex(entry, r'\bsha256: "[0-9a-f]{8,64}", mb: \d+,\s+(url: "https://\S+"|pypi: "\S+==\S+"),\s')
        names = {row[0] for row in rows} | {entry.split(":")[0] for entry in entries}
        self.assertEqual(set(re.findall(r"^  (\w+) +\d+$", text, flags=re.M)), names)


if __name__ == "__main__":
    unittest.main()
