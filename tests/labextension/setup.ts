import { nullTranslator } from '@jupyterlab/translation';

import { setTranslation } from '../../labextension/src/translation';

// jsdom draws nothing.
Element.prototype.scrollIntoView ??= () => undefined;

setTranslation(nullTranslator.load('gpucluster'));
