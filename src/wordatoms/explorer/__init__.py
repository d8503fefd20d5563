"""The explorer: a local web app on a model, and the same as a site of plain files.

    lookup, nearwords, spans     what is indexed or kept per model; where the words of a text stand
    wordpages, textpages         answers on words and atoms, and on texts
    testpages, corpuspages       the lineup; sentences of a text
    answers                      all of them behind one object, plain dictionaries
    schemas, packing, asking     what answers look like; how they are computed, kept and sent
    guarding, sitefiles, app     the same over HTTP, read-only, with the page
    serving, exporting           a port and a browser; a folder that any web server can host

The page itself is in `site/`. It goes with no section of the paper. Left out: any way to change a model.
"""
