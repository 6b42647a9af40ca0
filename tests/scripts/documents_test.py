"""The documents hold true: their links lead somewhere, and the C++ that README shows is that of the example which is built and run."""
import pathlib
import re
import textwrap
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENTS = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("data/**/*.md")]


class Documents(unittest.TestCase):
    def test_links_lead_to_files(self):
        for document in DOCUMENTS:
            prose = re.sub(r"```.*?```", "", document.read_text(), flags=re.DOTALL)
            for target in re.findall(r"\]\(([^)#]+)[^)]*\)", prose):
                if not re.match(r"[a-z]+:", target):
                    self.assertTrue((document.parent / target).exists(), f"{document}: no {target}")

    def test_scripts_named_exist(self):
        for document in DOCUMENTS:
            for script in re.findall(r"\bscripts/[a-z][a-z-]*", document.read_text()):
                self.assertTrue((ROOT / script).exists(), f"{document}: no {script}")

    def test_readme_shows_the_example(self):
        example = textwrap.dedent((ROOT / "examples/out-of-tree/axpy.cpp").read_text())
        blocks = re.findall(r"```cpp\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
        self.assertTrue(blocks)
        for block in blocks:
            self.assertIn(block, example)

    def test_guides_show_what_is_compiled_and_run(self):
        for guide, test, count in (
            ("generating-kernels.md", "compile/generating_kernels_test.cpp", 4),
            ("arrays.md", "array/arrays_guide_test.cpp", 8),
            ("from-numpy.md", "array/from_numpy_test.cpp", 7),
            ("primitives.md", "array/primitives_guide_test.cpp", 4),
        ):
            code = (ROOT / "tests/core" / test).read_text()
            blocks = re.findall(r"```cpp\n(.*?)```", (ROOT / "docs" / guide).read_text(), re.DOTALL)
            self.assertEqual(len(blocks), count, guide)
            for block in blocks:
                self.assertIn(block, code, guide)


unittest.main()
