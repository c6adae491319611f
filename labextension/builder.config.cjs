// Merged into the builder's own configuration (see "jupyterlab" in package.json).

// The builder's own, as it is no dependency of ours.
const { rspack } = require(
  require.resolve('@rspack/core', { paths: [require.resolve('@jupyter/builder')] })
);

module.exports = {
  // Every browser of JupyterLab 4.6 knows it, so nothing is written out for older ones.
  target: ['web', 'es2022'],
  module: {
    rules: [
      {
        // A separate file: the builder would put it into a script as text. With "v" the server lets browsers keep it.
        test: /index\.raw\.css$/,
        type: 'asset/resource',
        generator: { filename: 'style.[contenthash].css?v=[contenthash]' }
      }
    ]
  },
  plugins: [new rspack.optimize.LimitChunkCountPlugin({ maxChunks: 3 })],
  optimization: {
    // Ids of modules are otherwise hashes of absolute paths: the same source would give another wheel in another folder.
    moduleIds: 'natural',
    minimizer: [
      new rspack.SwcJsMinimizerRspackPlugin({
        extractComments: false,
        minimizerOptions: {
          ecma: 2022,
          // No function of ours is a constructor: classes are.
          compress: { ecma: 2022, hoist_funs: true, module: true, passes: 3, unsafe_arrows: true },
          // Names that begin with one underscore are private in all of our classes, and nothing reads them by a string.
          mangle: { props: { regex: '^_[a-z][a-zA-Z]' } },
          format: { comments: false }
        }
      })
    ]
  }
};
