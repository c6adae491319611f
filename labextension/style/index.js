// One file without comments and blanks: build:style makes it of index.css. As text, it needs no loaders in the browser.
import css from '../lib/style/index.raw.css';

const style = document.createElement('style');
style.textContent = css;
document.head.append(style);
