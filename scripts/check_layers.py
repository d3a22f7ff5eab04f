#!/usr/bin/env python3
"""Checks every #include of include/, src/ and models/ against the order of the modules (src/README.md).

An include may only point to the same module or to one lower in the order; models/ stands beside data and sees
core and config alone; LibTorch shows only as far as each module is allowed to see it; no public header pulls in
<torch/torch.h>. Prints one line per violation and ends with exit code 1 if there is any.
"""
import argparse
import pathlib
import re
import sys

ORDER = ["core", "config", "kernels", "params", "variational", "optim", "inference", "io", "data", "metrics",
         "targets", "posterior", "run", "bench", "cli"]
RANK = {module: position for position, module in enumerate(ORDER)}
WITHOUT_TORCH = {"core", "config", "kernels", "cli"}
TENSORS_ALONE = {"params", "variational", "optim", "inference", "io", "metrics"}
MODELS_MAY_SEE = {"core", "config", "models"}
MAY_SEE_MODELS = {"posterior", "run", "bench", "cli"}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')
SOURCES = {".h", ".hpp", ".cpp", ".cu", ".cuh"}


def module_of(path):
    """The module of a file or of an included path, or None."""
    parts = pathlib.PurePath(path).parts
    if parts[:2] == ("include", "scorevi"):
        parts = parts[2:]
    elif parts[0] in ("src", "scorevi"):
        parts = parts[1:]
    elif parts[0] != "models":
        return None
    return parts[0] if len(parts) > 1 else None


def violation(path, included):
    """Says what is wrong with `included` in the file `path`, or returns None."""
    owner, target = module_of(path), module_of(included)
    library = included.split("/")[0]
    if ".." in pathlib.PurePath(included).parts:
        return "a path with .. hides the module"
    if library in ("ATen", "c10", "torch") and owner in WITHOUT_TORCH:
        return f"{owner} is built without LibTorch"
    if library == "torch" and owner in TENSORS_ALONE:
        return f"{owner} uses tensors alone"
    if path.startswith("include/") and included == "torch/torch.h":
        return "too heavy for a public header"
    if target is None or target == owner:
        return None
    if owner == "models":
        return None if target in MODELS_MAY_SEE else "models sees core, config and LibTorch alone"
    if target == "models":
        return None if owner in MAY_SEE_MODELS else f"{owner} knows no network"
    if target not in RANK:
        return f"unknown module {target}"
    return None if RANK[target] < RANK[owner] else f"{owner} comes before {target} in the order of the modules"


def check(root):
    """All violations under `root` as text lines."""
    found = []
    for folder in ("include", "src", "models"):
        for file in sorted((root / folder).rglob("*")):
            path = file.relative_to(root).as_posix()
            if file.suffix not in SOURCES or module_of(path) is None:
                continue
            if module_of(path) not in RANK and module_of(path) != "models":
                found.append(f"{path}: unknown module {module_of(path)}")
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
                match = INCLUDE.match(line)
                reason = violation(path, match.group(1)) if match else None
                if reason:
                    found.append(f"{path}:{number}: includes {match.group(1)}: {reason}")
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent,
                        help="the tree to check (default: the project)")
    violations = check(parser.parse_args().root)
    print("\n".join(violations) if violations else "check_layers: every include points down")
    sys.exit(1 if violations else 0)
