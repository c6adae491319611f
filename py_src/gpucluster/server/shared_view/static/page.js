/* The views are those of notebooks, in one module; this page is one more place that shows them. */
import { showSharedView } from './widgets.js';

showSharedView(document.querySelector('main'));
