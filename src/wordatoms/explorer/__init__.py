"""The explorer: a local web app for a model, and its export as static files.

    words, texts, lineup, quotations   answers about words and atoms, texts, the lineup, sentences of a corpus
    documents                          answers about a collection of documents
    contextual                         atoms of contextual vectors beside those of the model
    service                            all of them behind one object; no web in here
    answers                            answers as JSON, and errors
    lookup, text_spans                 indexes over the vocabulary; positions of words in a text
    cache                              answers computed on worker threads, packed once, cached
    editing                            notes of a person, made in the page, if it was started for that
    security, app, server              the same over HTTP, with the page
    export                             the same as a folder that any web server can host

The page itself is in `site/`. Nothing here changes a model; notes on it are changed by `editing` alone.
"""
