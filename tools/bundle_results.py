"""Store the computed results of a report in the package, as the bundled results that `reproduce` shows without data.

    python tools/bundle_results.py REPORT [TABLE…] [--keep-models]

REPORT is a folder made by `wordatoms reproduce … -o REPORT`. Only computed results are taken, all or those named; text
of others, such as sentences, is left out. With --keep-models, rows of models that the report lacks are kept from the
results stored before.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from wordatoms.errors import WordatomsError
from wordatoms.paper.report.bundled import bundle
from wordatoms.paper.report.runner import EXHIBITS, find_exhibits


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("report", type=Path, help="folder of a report")
    parser.add_argument("names", nargs="*", metavar="TABLE", help="such as table-7; default: all")
    parser.add_argument("--keep-models", action="store_true", help="keep rows of models that the report lacks")
    given = parser.parse_args()
    chosen = find_exhibits(given.names) if given.names else list(EXHIBITS.values())
    try:
        stored = bundle(given.report, chosen, keep_models=given.keep_models)
    except WordatomsError as error:
        raise SystemExit(str(error)) from error
    sys.stdout.write(f"stored: {', '.join(stored) or 'nothing, the report has no computed result of these'}\n")


if __name__ == "__main__":
    main()
