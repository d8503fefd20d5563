"""Files of vectors, texts, documents, dumps and data sets, as `hostile.Case`s."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from hostile import Case, attempt
from sampledata import PAIRS, scws_line, semeval_xml
from samples import COMPRESSORS, POEM
from samplewiki import page, wiki
from samplewordnet import ENTRIES, write_database
from wordatoms.counts.word_lists import parse_words
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.embeddings.vector_files import FORMATS, read_vectors, write_vectors
from wordatoms.paper.tasks.lineup.data import LineupSense, Testbed, load_testbed
from wordatoms.paper.tasks.lineup.profiles import Lexicon
from wordatoms.paper.tasks.scws.evaluate import read_scws
from wordatoms.paper.tasks.similarity.analogy import read_questions
from wordatoms.paper.tasks.similarity.evaluate import read_pairs
from wordatoms.paper.tasks.wsi.data import read_semeval
from wordatoms.paper.wordnet import WordNet
from wordatoms.text.corpus import open_corpus
from wordatoms.text.documents import read_column, read_files, read_lines
from wordatoms.text.mediawiki import iter_paragraphs, strip_markup
from wordatoms.text.shards import read_blocks

Read = Callable[[Path], object]
WIKITEXT = """'''Spring''' is a [[season|time]] of {{lang|la|ver}}.<ref name="a">Book [http://a.b c]</ref>
{| class="x"
! a || b
|-
| [[File:x.png|thumb|a [[b]]]] || <math>x^2</math>
|}
* one &amp; two &#8211; <small>three</small>
<!-- no --> __NOTOC__ <nowiki>[[x]]</nowiki> [https://x.y z] {{{1|d}}}
"""
EMBEDDINGS = Embeddings(
    ["spring", "new york", "tie"], np.arange(12, dtype=np.float32).reshape(3, 4) / 7, np.array([9, 5, 1])
)


def _from(path: Path, read: Read) -> Callable[[bytes], object]:
    """Write the content to this file, and read it."""

    def write_and_read(content: bytes) -> object:
        path.write_bytes(content)
        return read(path)

    return write_and_read


def _packed(path: Path, example: bytes, read: Read) -> list[Case]:
    """A file inside each kind of packing, and the packing itself."""
    cases = []
    for name, compress in COMPRESSORS.items():
        write_and_read = _from(path, read)
        cases.append(
            Case(f"inside {name}", example, lambda content, pack=compress, read=write_and_read: read(pack(content)))
        )
        cases.append(Case(name, compress(example), write_and_read))
    return cases


# Vectors


def vector_cases(folder: Path) -> list[Case]:
    examples = {}
    for format in FORMATS:
        embeddings = EMBEDDINGS if format == "npy" else Embeddings(["spring", "york", "tie"], EMBEDDINGS.vectors)
        write_vectors(embeddings, folder / f"x.{format}", format=format)
        examples[format] = (folder / f"x.{format}").read_bytes()
    write_vectors(EMBEDDINGS, folder / "fixed.npy", format="npy")
    given = [
        Case(format, text, _from(folder / f"x.{format}", partial(read_vectors, format=format)))
        for format, text in examples.items()
    ]
    guessed = [
        Case(f"{format}, guessed", text, _from(folder / f"x.{format}", read_vectors))
        for format, text in examples.items()
    ]
    few = Case("few words", examples["word2vec"], _from(folder / "x.few", partial(read_vectors, max_words=2)))
    fixed = (folder / "fixed.words", lambda _: read_vectors(folder / "fixed.npy"))
    words = Case("words of npy", fixed[0].read_bytes(), _from(*fixed))
    listed = Case("word list", fixed[0].read_bytes(), parse_words)
    return [*given, *guessed, few, words, listed, *_packed(folder / "x.packed", examples["word2vec"], read_vectors)]


# Texts and documents


def text_cases(folder: Path) -> list[Case]:
    """Texts to train on."""
    work = folder / "work"
    work.mkdir()
    plain = Case("text", POEM, _from(folder / "x.txt", partial(_read_text, work)))
    replaced = Case("text, replaced", POEM, _from(folder / "x.txt", partial(_read_text, work, replace_invalid=True)))
    copied = Case(
        "text, copied", COMPRESSORS["zstd"](POEM), _from(folder / "x.txt", partial(_read_text, work, threads=2))
    )
    return [plain, replaced, copied, *_packed(folder / "x.txt", POEM, partial(_read_text, work))]


def _read_text(work: Path, path: Path, *, threads: int = 1, replace_invalid: bool = False) -> None:
    try:
        corpus = open_corpus([path], work=work, threads=threads, replace_invalid=replace_invalid, shard_bytes=40)
        for shard in corpus.shards:
            for block in read_blocks(shard, block_bytes=64):
                block.decode()
    finally:
        for copy in work.iterdir():
            copy.unlink()


def document_cases(folder: Path) -> list[Case]:
    """Documents and tables."""
    rows = b'url,text\nhttp://here/1,"The spring, ""it"" ran\ndry"\nhttp://here/2,A tie\n'
    readers = {
        "x.txt": (POEM, lambda path: list(read_files([path]))),
        "y.txt": (POEM, lambda path: list(read_lines([path], replace_invalid=True))),
        "x.csv": (rows, lambda path: list(read_column([path], "text", names="url"))),
        "x.tsv": (rows.replace(b",", b"\t"), lambda path: list(read_column([path], "text"))),
    }
    cases = [Case(name, example, _from(folder / name, read)) for name, (example, read) in readers.items()]
    return cases + _packed(folder / "z.csv.gz", rows, readers["x.csv"][1])


def table_cases(folder: Path) -> list[Case]:
    """Parquet, which pyarrow reads."""
    import pyarrow as pa
    from pyarrow import parquet

    cases = []
    for compression in ("none", "snappy", "zstd", "gzip"):
        table = pa.table({"who": [7, 8, 9], "text": ["The spring ran dry", None, "A tie"]})
        parquet.write_table(table, folder / "x.parquet", compression=compression)
        example = (folder / "x.parquet").read_bytes()
        cases.append(Case(f"parquet, {compression}", example, _from(folder / "x.parquet", _read_table)))
    return cases


def _read_table(path: Path) -> list[tuple[str, str]]:
    return list(read_column([path], "text", names="who"))


# Dumps


def dump_cases(folder: Path) -> list[Case]:
    work = folder / "work"
    work.mkdir()
    escaped = WIKITEXT.replace("&", "&amp;").replace("<", "&lt;")
    dump = wiki(
        page("Spring", escaped), page("Tie", "A &lt;b&gt;tie&lt;/b&gt; [[x]]"), page("Talk", "x", ns="<ns>1</ns>")
    )
    return [
        Case("wikitext", WIKITEXT.encode(), lambda content: strip_markup(content.decode(errors="replace"))),
        Case("wikitext in a dump", WIKITEXT.encode(), _strip_in_dump),
        Case("dump", dump, lambda content: list(iter_paragraphs(io.BytesIO(content)))),
        *_packed(folder / "x.xml", dump, partial(_read_text, work)),
    ]


def _strip_in_dump(content: bytes) -> None:
    text = content.decode(errors="replace").replace("&", "&amp;").replace("<", "&lt;")
    legal = "".join(letter for letter in text if letter >= " " or letter == "\n")
    list(iter_paragraphs(io.BytesIO(wiki(page("X", legal)))))


# Data sets


def data_cases(folder: Path) -> list[Case]:
    """Everything that an evaluation reads."""
    semeval = folder / "semeval"
    (semeval / "nouns").mkdir(parents=True)
    texts = [("Before .", "The <b>bank</b> did n't lend .", "After ."), ("", "Banks and a bank .", "")]
    semeval_files = {
        "nouns/bank.n.xml": semeval_xml("bank.n", texts).encode(),
        "all.key": b"bank.n bank.n.1 bank.n.s1/2 bank.n.s2/0.5\nbank.n bank.n.2 bank.n.s2\n",
    }
    for name, content in semeval_files.items():
        (semeval / name).write_bytes(content)
    lines = "\n".join(scws_line(number, *pair) for number, pair in enumerate(PAIRS, 1)).encode()
    return [
        *(
            Case(name, content, _restoring(semeval / name, lambda: read_semeval(semeval)))
            for name, content in semeval_files.items()
        ),
        Case("scws", lines, _from(folder / "ratings.txt", read_scws)),
        Case("similarity", b"bank\tmoney\t8\nriver boat 6.5\n", _from(folder / "pairs.txt", read_pairs)),
        Case("analogy", b": family\nking queen man woman\n", _from(folder / "analogy.txt", read_questions)),
        Case("lineups", _testbed(folder / "lineups.tsv"), _from(folder / "lineups.tsv", load_testbed)),
        *_wordnet_cases(folder / "wordnet"),
    ]


def _restoring(path: Path, read: Callable[[], object]) -> Callable[[bytes], object]:
    """As `_from`, for a file that others need as it was."""
    valid = path.read_bytes()

    def write_and_read(content: bytes) -> object:
        path.write_bytes(content)
        try:
            return read()
        finally:
            path.write_bytes(valid)

    return write_and_read


def _testbed(path: Path) -> bytes:
    senses = [LineupSense(tuple(f"{letter}{number}" for number in range(8)), ("n00000001",)) for letter in "abcd"]
    Testbed({"bank": tuple(senses[:2]), "tie": tuple(senses[2:])}).save(path)
    return path.read_bytes()


def _wordnet_cases(folder: Path) -> list[Case]:
    folder.mkdir()
    write_database(folder)
    names = [f"{kind}.{part}" for part in ("noun", "verb") for kind in ("index", "data")]
    return [
        Case(name, (folder / name).read_bytes(), _restoring(folder / name, lambda: _ask_wordnet(folder)))
        for name in names
    ]


def _ask_wordnet(folder: Path) -> None:
    wordnet = WordNet(folder)
    attempt(lambda: Lexicon(wordnet).gloss_words)
    list(wordnet.lemmas())
    for lemma in {lemma for entries in ENTRIES.values() for entry in entries for lemma in entry.lemmas}:
        for synset in wordnet.synsets(lemma):
            synset.pointers()
