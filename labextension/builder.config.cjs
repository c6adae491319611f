// Merged into the builder's own configuration (see "jupyterlab" in package.json).
// Ids of modules are otherwise hashes of absolute paths: the same source would give another wheel in another folder.
module.exports = { optimization: { moduleIds: 'natural' } };
