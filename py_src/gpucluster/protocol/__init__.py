"""The one definition of everything that crosses a process boundary.

Imports pydantic and nothing heavier: neither Dask nor CUDA. From these models come validation, the
creation form, the OpenAPI document, the TypeScript types and the help texts.
"""
