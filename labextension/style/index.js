// A sheet of its own beside the scripts, without comments and blanks: build:style makes it of index.css.
import href from '../lib/style/index.raw.css';

const link = document.createElement('link');
link.rel = 'stylesheet';
link.href = href;

// JupyterLab and Jupyter Notebook wait for this module before they start any plugin: so nothing is shown unstyled. A
// sheet that cannot be loaded keeps nobody from working.
await new Promise(resolve => {
  link.onload = link.onerror = resolve;
  document.head.append(link);
});
