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
    "ceilings": {"copy_bytes_per_second": 4.2e12, "fma_flop_per_second": 6.08e13},
    "suites": [{"name": "radar", "results": [
        {"name": "backprojection accurate", "value": 912.34567, "unit": "Gbp/s", "noise": 0.0123, "samples": [0.1, 0.2, 0.3],
         "ratios": {"copy": 0.9, "plain kernel": 2.785, "target": 1.02}, "figures": {"SER dB": 64.2}},
        {"name": "cache entry | size", "value": 1234567, "unit": "B"}], "failures": ["sort: out of memory"]},
        {"name": "vision", "results": [
            {"name": "filterbank A, default", "value": 20, "unit": "TFLOP/s"},
            {"name": "filterbank A, tuned", "value": 41, "unit": "TFLOP/s", "note": "rows=4", "ratios": {"default": 2.1, "target": 0.98, "cuDNN": 2.25},
             "figures": {"boost_percent": 110.25, "last_five_tflops": 42, "variants": 120, "tuning_seconds": 15.2}},
            {"name": "filterbank A, tuned, allow tf32", "value": 90, "unit": "TFLOP/s", "ratios": {}, "figures": {"boost_percent": 1, "last_five_tflops": 90}}]}],
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
        kept = self.directory / "test-gpu-cuda-0-2026-12-01.json"
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

    def test_check_passes_then_notices_a_changed_figure(self):
        self.assertEqual(run(self.directory, "--check").returncode, 0)
        (self.directory / "README.md").write_text(self.page.replace("912.3", "999.9"))
        check = run(self.directory, "--check")
        self.assertEqual(check.returncode, 1)
        self.assertIn("run scripts/bench-page", check.stderr)


unittest.main()
