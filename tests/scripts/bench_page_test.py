"""The page of benchmark records: what it shows of a record, and that --check notices a figure that was changed."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "bench-page"
RECORD = {
    "commit": "abc1234", "date": "2026-12-01T02:00:00Z", "version": "0.1.0", "toolkit": "NVRTC 13.0", "quick": False,
    "device": {"id": "cuda:0", "name": "Test GPU", "platform": "NVIDIA CUDA", "driver": "580", "architecture": "sm_90", "compute_units": 132},
    "host": {"threads": 16, "compiler": "g++ 13"},
    "ceilings": {"copy_bytes_per_second": 4.2e12, "fma_flop_per_second": 6.08e13, "fma_double_flop_per_second": 3.1e13},
    "suites": [{"name": "radar", "results": [
        {"name": "backprojection accurate", "value": 912.34567, "unit": "Gbp/s", "noise": 0.0123, "samples": [0.1, 0.2, 0.3],
         "ratios": {"copy": 0.9, "plain kernel": 2.785, "target": 1.02}, "figures": {"SER dB": 64.2}},
        {"name": "cache entry | size", "value": 1234567, "unit": "B"}], "failures": ["sort: out of memory"]},
        {"name": "vision", "results": [
            {"name": "filterbank A, default", "value": 20, "unit": "TFLOP/s"},
            {"name": "filterbank A, tuned", "value": 41, "unit": "TFLOP/s", "note": "rows=4", "ratios": {"default": 2.1, "target": 0.98, "cuDNN": 2.25},
             "figures": {"boost_percent": 110.25, "last_five_tflops": 42, "variants": 120, "tuning_seconds": 15.2}},
            {"name": "filterbank A, tuned, allow tf32", "value": 90, "unit": "TFLOP/s", "ratios": {}, "figures": {"boost_percent": 1, "last_five_tflops": 90}}]},
        {"name": "dgfem", "results": [
            {"name": f"Maxwell 3-D, N={order}, {precision}", "value": value, "unit": "GDOF/s", "note": "kernel=blocked",
             "ratios": {"copy": 0.93, "multiply-add": 0.25, "C++ on one core": 310.4, "C++ on all cores": 25, **({"target": 1.02} if order < 9 else {})},
             "figures": {"elements": 2058000, "share of the roofline": 0.9, "GFLOP/s by the paper's rule": 11151, "bytes of memory a DOF": 17.5}}
            for order, precision, value in ((10, "single", 20), (2, "double", 60.5), (2, "single", 120.5))]
            + [{"name": "Maxwell 3-D, N=2, single: split", "value": 50, "unit": "GDOF/s"}]}],
}


def run(directory, *arguments):
    return subprocess.run([sys.executable, SCRIPT, "--directory", directory, *arguments], capture_output=True, text=True)


class BenchPage(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.directory = pathlib.Path(self.scratch.name)
        self.addCleanup(self.scratch.cleanup)
        record = self.directory / "new.record"
        record.write_text(json.dumps(RECORD))
        self.added = run(self.directory, "--add", record)
        self.page = (self.directory / "README.md").read_text()

    def test_record_is_kept_under_device_and_date(self):
        kept = self.directory / "test-gpu-cuda-0-radar-vision-dgfem-2026-12-01.json"
        self.assertEqual(self.added.stdout.strip(), str(kept))
        self.assertEqual(json.loads(kept.read_text()), RECORD)

    def test_rows_show_figure_noise_samples_ratio_and_remarks(self):
        self.assertIn("| backprojection accurate | 912.3 Gbp/s | 1.2 % | 3 | 0.9 | 1.02 | 2.785 x plain kernel | SER dB 64.2 |", self.page)
        self.assertIn("| cache entry \\| size | 1.235e+06 B |  |  |  |  |  |  |", self.page)
        self.assertIn("Not measured: sort: out of memory", self.page)
        self.assertIn("copy 4200 GB/s", self.page)
        self.assertIn("multiply-add 60.8 TFLOP/s", self.page)
        self.assertIn("commit `abc1234`", self.page)

    def test_tuned_lines_stand_beside_their_default(self):
        self.assertIn("| filterbank A | 20 | 42 TFLOP/s | 110.2 % | 120 | 15 s | 2.25 x cuDNN | rows=4 |", self.page)
        self.assertEqual(self.page.count("protocol of the PyCUDA paper"), 1)

    def test_orders_stand_in_a_table_of_their_own_by_precision_and_number(self):
        rows = [line for line in self.page.splitlines() if line.startswith(("| single |", "| double |"))]
        self.assertEqual(rows[0], "| single | 2 | 2058000 | 120.5 | 1.02 | 0.93 | 0.25 | 0.9 | 11151 | 310.4 | 25 | 17.5 | kernel=blocked |")
        self.assertEqual([row.split(" | ")[1] for row in rows], ["2", "10", "2"])
        self.assertIn("fp64 multiply-add 31 TFLOP/s.", self.page)
        self.assertNotIn(".png", self.page)

    def test_figures_beside_the_record_are_shown(self):
        (self.directory / "test-gpu-cuda-0-radar-vision-dgfem-2026-12-01-single.png").touch()
        run(self.directory)
        self.assertIn("![Maxwell stages in single precision](test-gpu-cuda-0-radar-vision-dgfem-2026-12-01-single.png)", (self.directory / "README.md").read_text())

    def test_check_passes_then_notices_a_changed_figure(self):
        self.assertEqual(run(self.directory, "--check").returncode, 0)
        (self.directory / "README.md").write_text(self.page.replace("912.3", "999.9"))
        check = run(self.directory, "--check")
        self.assertEqual(check.returncode, 1)
        self.assertIn("run scripts/bench-page", check.stderr)


unittest.main()
