import { nullTranslator } from '@jupyterlab/translation';

import { setTranslation } from '../../labextension/src/translation';

setTranslation(nullTranslator.load('gpucluster'));
