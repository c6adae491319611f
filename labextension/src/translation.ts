import type { TranslationBundle } from '@jupyterlab/translation';

/** Texts in the language of JupyterLab, which is one for the whole page. */
export let trans: TranslationBundle;

/** Called when a plugin that others need is activated: before anything is drawn. */
export function setTranslation(bundle: TranslationBundle): void {
  trans = bundle;
}
