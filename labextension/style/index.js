// A separate sheet beside the scripts, without comments and blanks: build:style makes it of index.css.
const link = document.createElement('link');
link.rel = 'stylesheet';
link.href = require('../lib/style/index.raw.css');

// JupyterLab and Jupyter Notebook await what this module exports before they start any plugin: so nothing is shown
// unstyled. A sheet that cannot be loaded prevents nothing. (`await` at the top of an ES module would do the
// same, and costs a kilobyte of the bundler's runtime.)
module.exports = new Promise(resolve => {
  link.onload = link.onerror = resolve;
  document.head.append(link);
});
