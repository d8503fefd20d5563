"""Small MediaWiki dumps of our own."""

from __future__ import annotations

import io

from wordatoms.text.mediawiki import iter_paragraphs

SITE = """<siteinfo><sitename>Probe</sitename><namespaces>
<namespace key="-2">Medium</namespace><namespace key="0" /><namespace key="1">Diskussion</namespace>
<namespace key="6">Datei</namespace><namespace key="14">Kategorie</namespace></namespaces></siteinfo>"""


def page(title: str, *texts: str, ns: str = "<ns>0</ns>", extra: str = "", model: str = "wikitext") -> str:
    revisions = "".join(
        f"<revision><id>1</id><comment>text</comment><model>{model}</model>"
        f'<text bytes="{len(text)}" xml:space="preserve">{text}</text></revision>'
        for text in texts
    )
    return f"<page><title>{title}</title>{ns}<id>7</id>{extra}{revisions}</page>"


def wiki(*pages: str, site: str = SITE) -> bytes:
    content = "\n".join(pages)
    return f'<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/">{site}{content}</mediawiki>'.encode()


def paragraphs_of(content: bytes, threads: int = 1) -> list[list[str]]:
    return list(iter_paragraphs(io.BytesIO(content), threads=threads, name="probe.xml"))
