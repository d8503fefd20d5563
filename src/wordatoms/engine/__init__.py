"""Passes over text on threads or on a Dask cluster, with a ledger of finished work that survives a crash."""
