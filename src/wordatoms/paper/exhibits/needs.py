"""What exhibits need, how to check for it, and how to get it.

With the bundled model alone, the report shows a few exhibits; for the others it lists what is missing.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from wordatoms.embeddings.trainers import trainer_names
from wordatoms.errors import WordatomsError
from wordatoms.paper.exhibits.digests import file_digests, model_digest
from wordatoms.paper.exhibits.exhibit import Need
from wordatoms.paper.exhibits.inputs import Inputs
from wordatoms.paper.wordnet import WordNet
from wordatoms.senses.model import SenseModel


def _stage(stage: str) -> Callable[[Inputs], bool]:
    return lambda inputs: stage in inputs.model.folder.stages


def _in_model(name: str) -> Callable[[Inputs], bool]:
    return lambda inputs: (inputs.model.path / name).is_file()


def _files(*patterns: str) -> Callable[[Inputs], list[str]]:
    """Digests of the data files that match some patterns."""

    def facts(inputs: Inputs) -> list[str]:
        data = inputs.data
        return file_digests(path for pattern in patterns for path in sorted(data.glob(pattern))) if data else []

    return facts


def _text_digests(inputs: Inputs) -> list[str]:
    return file_digests(inputs.text_files)


def _other_models(inputs: Inputs) -> list[str]:
    return [model_digest(model) for model in inputs.others]


def knows(*words: str) -> Need:
    """The need for a model that knows some words."""
    named = " and ".join(f"“{word}”" for word in words)
    how = f"a model that knows {named}; this one does not"
    return Need(
        f"the word{'s' if len(words) > 1 else ''} {named}",
        how,
        lambda inputs: all(word in inputs.model.embeddings for word in words),
    )


def has_counts(model: SenseModel) -> bool:
    """Whether a model has its counts and the state of its trainer, so that pseudowords can be trained."""
    return model.embeddings.method in trainer_names(has="holds_words") and (model.path / "counts.json").is_file()


def _has_layout(inputs: Inputs) -> bool:
    with suppress(WordatomsError, AttributeError):
        return len(inputs.model.layout) == len(inputs.model.atoms)
    return False


def _finds_wordnet(inputs: Inputs) -> bool:
    with suppress(WordatomsError):
        return WordNet(inputs.wordnet).folder.is_dir()
    return False


def _wordnet_digests(inputs: Inputs) -> list[str]:
    return file_digests(sorted(WordNet(inputs.wordnet).folder.glob("data.*")))


ATOMS = Need("atoms", "a model with atoms: wordatoms atomize MODEL", _stage("atomize"))
MAP = Need("map A", "a model with the map A: wordatoms map MODEL", _stage("map"))
REPORT = Need(
    "report on the atoms",
    "a model whose atoms were learned here: wordatoms atomize MODEL",
    _in_model("atom-report.json"),
)
LAYOUT = Need("layout of the atoms", "a model made by this version: wordatoms atomize MODEL --force", _has_layout)
TUNING = Need(
    "tuning",
    "a tuned model: wordatoms tune MODEL --text FILES, with files that it was not trained on",
    _in_model("tuning.json"),
)
COUNTS = Need(
    "counts of SN or GloVe",
    "a full (not compact) SN or GloVe model: wordatoms train TEXT -o sn --method sn, then --with sn",
    lambda inputs: any(map(has_counts, inputs.models.values())),
    _other_models,
)
TEXT = Need(
    "text",
    "English text: a Wikipedia dump (dumps.wikimedia.org/enwiki, pages-articles) or plain files, one paragraph per "
    "line, with --text FILES or in DATA/corpus",
    lambda inputs: bool(inputs.text),
    _text_digests,
)
LONG_TEXT = Need(
    "text of a megabyte or more",
    TEXT.how,
    lambda inputs: sum(path.stat().st_size for path in inputs.text_files) >= 1 << 20,
    _text_digests,
)
SOURCE = Need(
    "source of the text",
    'source and licence of the text, because its sentences are shown: --source "English Wikipedia, CC BY-SA 4.0"',
    lambda inputs: bool(inputs.source),
    lambda inputs: [inputs.source],
)
SEMEVAL = Need(
    "SemEval-2010 task 14",
    "its test data and keys (www.cs.york.ac.uk/semeval2010_WSI): nouns/*.xml, verbs/*.xml and all.key in "
    "DATA/semeval2010, with --data DATA",
    lambda inputs: inputs.has_file("semeval2010/nouns/*.xml") and inputs.has_file("semeval2010/all.key"),
    _files("semeval2010/nouns/*.xml", "semeval2010/verbs/*.xml", "semeval2010/all.key"),
)
SCWS = Need(
    "SCWS",
    "the set of Huang et al. 2012 (ai.stanford.edu/~ehhuang): ratings.txt in DATA/scws, with --data DATA",
    lambda inputs: inputs.has_file("scws/ratings.txt"),
    _files("scws/ratings.txt"),
)
SIMILARITY = Need(
    "similarity sets",
    "files of `word1 word2 rating` (github.com/mfaruqui/eval-word-vectors) in DATA/similarity, with --data DATA",
    lambda inputs: inputs.has_file("similarity/*.txt"),
    _files("similarity/*.txt"),
)
ANALOGY = Need(
    "analogies",
    "the questions of word2vec (questions-words.txt) in DATA/analogy/google, with --data DATA",
    lambda inputs: inputs.has_file("analogy/google/*.txt"),
    _files("analogy/google/*.txt"),
)
WORDNET = Need(
    "WordNet 3.0",
    "on Debian and Ubuntu: apt-get install wordnet-base; elsewhere wordnet.princeton.edu, with --wordnet FOLDER",
    _finds_wordnet,
    _wordnet_digests,
)
COMPETITORS = Need(
    "competitors",
    "a text for the paper's competitors to learn from (--text, without --no-competitors)",
    lambda inputs: inputs.competitors and bool(inputs.text) and "map" in inputs.model.folder.stages,
    _text_digests,
)
OTHERS = Need(
    "models of other vectors",
    "GloVe, SN, skip-gram or NNSE models of the same text: wordatoms train TEXT -o glove --method glove, then "
    "--with glove",
    lambda inputs: len(inputs.models) > 1,
    _other_models,
)
