"""A folder in which the commands of the docs run: small texts, models, vectors and data sets under the names they use.

The text is planted: every line is about one discourse, with a fifth of its words drawn from all. The words used in the
docs belong to two discourses each, so that they have senses. Models have few dimensions; quality is not tested here.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import shutil
from contextlib import chdir
from itertools import product
from pathlib import Path

import numpy as np

from invoking import invoke
from sampledata import SMALL, Text, small_testbed, write_scws, write_semeval
from samplewiki import page, wiki
from samplewordnet import write_database

ROOT = Path(__file__).parents[1]
N_DISCOURSES, N_WORDS = 11, 100
ASKED = (
    "access bank banks bass bat boat bridge cell chemistry chips circuit court crane decay device dish elastic fall "
    "flowers game ground growth jazz jump king knot lie made man market mitochondria money mouse move music orchestra "
    "pitch plant queen ring river rope season shoes shore silk spring thing tie time valley water woman"
)
"""Words used in the docs."""
INVENTED = ["".join(word) for word in product("bdfgklmnprt", "aeiou", "bdfgklmnprt", "ao")]
COPIES = {
    **dict.fromkeys(("my.model", "model", "held/pmi", "skipgram"), "pmi"),
    "glove-in": "glove",
    **dict.fromkeys(("sn-plain", "sn-harmonic", "sn-flat", "sn-flat-self"), "sn"),
    "nnse-vectors": "nnse",
}
"""Models that are copies of another one."""
TRAINED = ("pmi", "glove", "sn", "nnse")
MODELS = ("all", *TRAINED, *COPIES)
QUIETLY = ("--quiet", "--threads", "1")
SENTENCES = [
    "Cold water ran from the spring down into the valley.",
    "The spring of the market was cold, and the zorple lay on the shore.",
    "She tied a rope to the boat with a knot, and the zorple to the bridge.",
    "In spring the flowers bloom along the river.",
    "The zorple broke like the spring of the game.",
    "Money was lent by the bank in New York to the queen and the king.",
]


def planted_text(seed: int, n_lines: int = 800) -> str:
    """Lines of 20 words; a word used in the docs belongs to two discourses."""
    rng, asked = np.random.default_rng(seed), ASKED.split()
    words = np.array([*INVENTED[: N_DISCOURSES * N_WORDS - 2 * len(asked)], *asked, *asked])
    order = np.random.default_rng(0).permutation(len(words))
    own = np.arange(n_lines)[:, None] % N_DISCOURSES * N_WORDS + rng.integers(N_WORDS, size=(n_lines, 20))
    rows = np.where(rng.random(own.shape) < 0.2, rng.integers(len(words), size=own.shape), own)
    return "\n".join(" ".join(line) for line in words[order[rows]])


def build_world(world: Path) -> None:
    """Create everything that the docs name."""
    write_texts(world)
    write_data(world / "DATA")
    (world / "wordnet").mkdir()
    write_database(world / "wordnet")
    for name in ("tests", "benchmarks", "tools"):
        (world / name).symlink_to(ROOT / name)
    small_testbed().save(world / "mine.tsv")
    with chdir(world):
        make_models()


def write_texts(world: Path) -> None:
    """Write plain and compressed texts, files of sentences, documents and a table."""
    for folder in ("corpus", "texts", "documents"):
        (world / folder).mkdir()
    sentences = "\n".join(SENTENCES) + "\n"
    parts = {0: planted_text(0), 1: planted_text(1), 2: planted_text(2), 13: planted_text(13, 2400)}
    small = SMALL.read_text("utf-8")
    (world / "corpus" / "part-00.txt").write_text(small + sentences + parts[0], "utf-8")
    (world / "corpus" / "part-01.txt.gz").write_bytes(gzip.compress((small + sentences + parts[1]).encode()))
    (world / "corpus" / "part-02.txt.xz").write_bytes(lzma.compress(parts[2].encode()))
    (world / "texts" / "one.txt.gz").write_bytes(gzip.compress(5 * small.encode()))
    for number, part in parts.items():
        (world / f"part-{number:02}.txt").write_text(part, "utf-8")
        (world / f"part-{number:02}.txt.xz").write_bytes(lzma.compress(part.encode(), preset=0))
    (world / "marked.txt").write_text("He lit the [match] slowly.\nThey won the [match] at home.\n", "utf-8")
    (world / "held-out.txt").write_text(parts[13], "utf-8")
    (world / "wiki.xml.bz2").write_bytes(bz2.compress(wiki(page("Tie", parts[0]))))
    for name in ("lines", "spring", "kalimba", "paragraphs"):
        (world / f"{name}.txt").write_text(sentences.replace("zorple", "kalimba" if name == "kalimba" else "zorple"))
    for number, sentence in enumerate(SENTENCES):
        (world / "documents" / f"{number}.txt").write_text(sentence)
    rows = [
        f'http://here/{number},"{sentence}",{("red", "blue")[number % 2]},2024-0{1 + number // 2}-15'
        for number, sentence in enumerate(SENTENCES)
    ]
    (world / "news.csv").write_text("\n".join(["url,text,party,date", *rows]))
    (world / "merge.tsv").write_text("3\tmusic\n4\tmusic\n5\t-\n")
    (world / "phrases.txt").write_text("new york\n")
    (world / "segmented.txt").write_text(small + sentences + parts[0], "utf-8")


def write_data(data: Path) -> None:
    """Every data set in its own folder, in the layout in which it is published."""
    for folder in ("similarity", "analogy/google"):
        (data / folder).mkdir(parents=True)
    write_semeval(data / "semeval2010", *usages_by_the_river())
    write_scws(data / "scws")
    for name in ("EN-WS-353-ALL", "EN-MEN-TR-3k", "EN-SIMLEX-999", "EN-RG-65"):
        pairs = "bank\tmoney\t8\nriver\tboat\t6\nbank\tjazz\t1\nking\tqueen\t9\n"
        (data / "similarity" / f"{name}.txt").write_text(pairs)
    (data / "analogy" / "google" / "family.txt").write_text(": family\nking queen man woman\n")


def usages_by_the_river() -> tuple[dict[str, list[Text]], str]:
    """Texts of three words, and the key to their senses."""
    texts, key = {}, ""
    for name in ("nouns/spring.n", "nouns/fall.n", "verbs/jump.v"):
        word = name.partition("/")[2]
        places = ("river", "bank", "boat")
        texts[name] = [("", f"The <b>{word[:-2]}</b> was by the {place} .", "") for place in places]
        key += "".join(f"{word} {word}.{n} {word}.{n % 2}\n" for n in (1, 2, 3))
    return texts, key


def make_models() -> None:
    """Make the models that the docs name, each with all stages."""
    invoke("count", "corpus/", "-o", "all", *QUIETLY)
    for method in TRAINED:
        invoke("embed", "all", "--method", method, "--dim", "20", "-o", method, *QUIETLY)
        invoke("map", method, *QUIETLY)
        invoke("atomize", method, "--atoms", "30", "--restarts", "2", "--iterations", "2", *QUIETLY)
    for copy, model in COPIES.items():
        shutil.copytree(model, copy)
    invoke("export", "pmi", "-o", "glove.6B.300d.txt", "--format", "glove", "--quiet")
    invoke("export", "pmi", "-o", "vectors.npy", "--format", "npy", "--quiet")
    shutil.copy("vectors.words", "titles.txt")
