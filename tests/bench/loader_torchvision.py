"""The work of loader_bench.cpp with Pillow and torchvision: pictures per second on one core.

  OMP_NUM_THREADS=1 python3 tests/bench/loader_torchvision.py DIR/dtd/images
"""
import sys
import time
from pathlib import Path

import torch
from PIL import Image
from torchvision import transforms

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
TO_FLOATS = [transforms.ToTensor(), transforms.Normalize(MEAN, STD)]
PIPELINES = {
    "train": [transforms.RandomResizedCrop(224), transforms.RandomHorizontalFlip()],
    "evaluation": [transforms.Resize(256), transforms.CenterCrop(224)],
}


def main():
    torch.set_num_threads(1)
    paths = sorted(path for path in Path(sys.argv[1]).rglob("*") if path.is_file())
    for name, stages in PIPELINES.items():
        pipeline = transforms.Compose(stages + TO_FLOATS)
        best = float("inf")
        for _ in range(3):
            begin = time.perf_counter()
            for first in range(0, len(paths), 32):
                torch.stack([pipeline(Image.open(path).convert("RGB")) for path in paths[first : first + 32]])
            best = min(best, time.perf_counter() - begin)
        print(f"{name}: {len(paths) / best:.0f} pictures per second")


main()
