"""The words in the paper's tables, and numbers of the paper that belong to no evaluation.

The numbers of Tables 2, 3, 4, 7, 8 and Figure 1 are with their evaluations (`PAPER` in `wordatoms.paper.tasks`).
"""

from __future__ import annotations

from wordatoms.embeddings.trainers import TRAINERS

N_ATOMS = 2000
N_MEANINGLESS = 100
SPARSITY = 5

ATOMS = {
    1978: "drowning suicides overdose murder poisoning commits stabbing strangulation gunshot",
    825: "instagram twitter facebook tumblr vimeo linkedin reddit myspace tweets",
    231: "stakes thoroughbred guineas preakness filly fillies epsom racecourse sired",
    616: "membrane mitochondria cytosol cytoplasm membranes organelles endoplasmic proteins vesicles",
    1638: "slapping pulling plucking squeezing twisting bowing slamming tossing grabbing",
    149: "orchestra philharmonic philharmonia conductor symphony orchestras toscanini concertgebouw solti",
    330: "conferences meetings seminars workshops exhibitions organizes concerts lectures presentations",
}
"""Table 5: seven atoms by id, each with its nine nearest words."""

SENSES = {
    "tie": (
        "trousers blouse waistcoat skirt sleeved pants",
        "season teams winning league finished championship",
        "scoreline goalless equaliser clinching scoreless replay",
        "wires cables wiring electrical wire cable",
        "operatic soprano mezzo contralto baritone coloratura",
    ),
    "spring": (
        "beginning until months earlier year last",
        "dampers brakes suspension absorbers wheels damper",
        "flower flowers flowering fragrant lilies flowered",
        "creek brook river fork piney elk",
        "humid winters summers ppen warm temperatures",
    ),
}
"""Table 6: the five atoms of two words, each with its six nearest words; the last atom is often noise."""

BAT = (
    "navigate nocturnal mouse wing cave sonic fly dark",
    "used hitting ball game match cricket play baseball",
    "wink briefly shut eyes wink bate quickly action",
    "whereby legal court law lawyer suit bill judge",
    "loose ends two loops shoelaces tie rope string",
    "horny projecting bird oral nest horn hard food",
)
"""The paper's example of a lineup; the first three lists are senses of *bat*."""
N_BAT_SENSES = 3

RING = ("mathematics", "a game's target", "the telephone", "a cell's plastid", "wrestling", "jewellery", "mushrooms")
"""The topics of the seven sentences for *ring*, from a table that was removed from the paper."""

MUSIC = ("jazz", "rock", "classical", "country")
"""Words whose atoms should share a meta-atom, according to a part that was removed from the paper."""


def shown_method(method: str) -> str:
    """The usual spelling of an embedding method."""
    return TRAINERS[method].title if method in TRAINERS else method
