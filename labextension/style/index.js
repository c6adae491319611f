// One file without comments and blanks: build:style makes it of index.css.
import '../lib/style/index.css';
