"""Plants violations of the module order and sees scripts/check_layers.py report each of them."""
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts"))
import check_layers  # noqa: E402


class CheckLayersTest(unittest.TestCase):
    def report(self, path, line):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, path)
            file.parent.mkdir(parents=True)
            file.write_text(f"#pragma once\n{line}\n")
            return check_layers.check(pathlib.Path(folder))

    def test_allowed(self):
        for path, line in [
                ("src/run/trainer.cpp", '#include "scorevi/posterior/target.h"'),
                ("src/run/trainer.cpp", '#include "scorevi/models/registry.h"'),
                ("include/scorevi/models/network.h", "#include <torch/nn/module.h>"),
                ("src/posterior/target.cpp", "#include <torch/torch.h>"),
                ("src/core/log.cpp", '#include "scorevi/core/log.h"'),
                ("src/core/log.cpp", "#include <vector>"),
                ("include/scorevi/params/flat_layout.h", "#include <ATen/core/Tensor.h>"),
                ("models/mlp.cpp", "#include <torch/nn.h>"),
                ("models/mlp.cpp", '#include "scorevi/core/error.h"')]:
            self.assertEqual(self.report(path, line), [], f"{path} {line}")

    def test_refused(self):
        for path, line in [
                ("src/inference/psm.cpp", '#include "scorevi/posterior/target.h"'),
                ("src/inference/psm.cpp", '#include "scorevi/data/loader.h"'),
                ("src/inference/psm.cpp", '#include "scorevi/models/registry.h"'),
                ("src/data/loader.cpp", '#include "scorevi/models/registry.h"'),
                ("src/metrics/ood.cpp", '#include "scorevi/models/registry.h"'),
                ("src/inference/psm.cpp", "#include <torch/torch.h>"),
                ("include/scorevi/models/mlp.h", '#include "scorevi/inference/engine.h"'),
                ("include/scorevi/io/idx.h", "#include <torch/serialize.h>"),
                ("include/scorevi/core/log.h", "#include <scorevi/config/reader.h>"),
                ("src/kernels/update.cpp", "#include <ATen/ATen.h>"),
                ("src/kernels/update.cu", "# include <c10/cuda/CUDAStream.h>"),
                ("src/config/reader.cpp", "#include <torch/torch.h>"),
                ("include/scorevi/data/loader.h", "#include <torch/torch.h>"),
                ("models/mlp.cpp", '#include "scorevi/variational/family.h"'),
                ("models/mlp.cpp", '#include "scorevi/inference/engine.h"'),
                ("src/run/trainer.cpp", '#include "../posterior/private.h"'),
                ("src/run/trainer.cpp", '#include "scorevi/zebra/stripes.h"')]:
            found = self.report(path, line)
            self.assertEqual(len(found), 1, f"{path} {line}")
            self.assertTrue(found[0].startswith(f"{path}:2: includes "), found[0])

    def test_unknown_module(self):
        self.assertEqual(len(self.report("src/zebra/stripes.cpp", "")), 1)


if __name__ == "__main__":
    unittest.main()
