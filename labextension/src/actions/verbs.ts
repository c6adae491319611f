import { refreshIcon, type LabIcon } from '@jupyterlab/ui-components';

import type { Verb } from '../protocol/messages';
import { trans } from '../translation';

/** A verb that needs nothing but its cluster: a command, and an entry of the card's menu. */
export interface IVerbAction {
  readonly verb: Verb;
  /** Id of the command. */
  readonly command: string;
  /** Name of the command in the menu bar and the palette. */
  readonly name: string;
  /** Name of the entry in the card's menu. */
  readonly entry: string;
  readonly icon: LabIcon;
  /** What confirms it in a dialog. */
  readonly label: string;
  /** What to confirm before, for a cluster of that name; null: nothing is lost. */
  readonly confirm: ((cluster: string) => { title: string; body: string }) | null;
}

/** In the order of the menu. */
export function verbActions(): readonly IVerbAction[] {
  return [
    {
      verb: 'restart',
      command: 'gpucluster:restart-workers',
      name: trans.__('Restart Workers…'),
      entry: trans.__('Restart workers…'),
      icon: refreshIcon,
      label: trans.__('Restart'),
      confirm: cluster => ({
        title: trans.__('Restart the workers of %1?', cluster),
        body: trans.__('The cluster keeps running at the same address.')
      })
    }
  ];
}
