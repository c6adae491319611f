import type { TranslationBundle } from '@jupyterlab/translation';
import { refreshIcon, type LabIcon } from '@jupyterlab/ui-components';

import type { Verb } from '../protocol/messages';

/** A verb that needs nothing but its cluster: a command, and a button of the card. */
export interface IVerbAction {
  readonly verb: Verb;
  /** Id of the command. */
  readonly command: string;
  /** Name of the command in the palette and the menu. */
  readonly name: string;
  readonly icon: LabIcon;
  /** Text and title of the button. */
  readonly label: string;
  readonly title: string;
  /** The title where the cluster does not support it. */
  readonly cannot: string;
  /** What to confirm before, for a cluster of that name; null: nothing is lost. */
  readonly confirm: ((cluster: string) => { title: string; loss: string }) | null;
}

/** In the order of the buttons. */
export function verbActions(trans: TranslationBundle): readonly IVerbAction[] {
  return [
    {
      verb: 'restart',
      command: 'gpucluster:restart-workers',
      name: trans.__('Restart Workers…'),
      icon: refreshIcon,
      label: trans.__('Restart'),
      title: trans.__('Restart the workers'),
      cannot: trans.__('Its workers cannot be restarted'),
      confirm: cluster => ({
        title: trans.__('Restart the workers of %1?', cluster),
        loss: trans.__(
          'The cluster keeps running at the same address. Running tasks and results on the workers are lost.'
        )
      })
    }
  ];
}
