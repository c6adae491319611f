import type { JupyterFrontEnd } from '@jupyterlab/application';
import { NotebookActions, type INotebookTracker } from '@jupyterlab/notebook';

import { hasEnded } from '../clusters/states';
import type { IClusterManager } from '../clusters/tokens';
import * as CommandIDs from './commandids';
import { described, notifyingErrors } from './withcluster';
import { trans } from '../translation';
import { requirePackage } from './links';
import { profileIcon } from '../icons';

/** What is written into cells. */

const PROFILE = '%%gpucluster profile';

/** The cell's source as one that is measured; as it is where it says so already. */
export function profiledSource(source: string): string {
  return /^\s*%%gpucluster\s+profile\b/.test(source) ? source : `${PROFILE}\n${source}`;
}

export interface IProfilingOptions {
  app: JupyterFrontEnd;
  manager: IClusterManager;
  notebooks: INotebookTracker | null;
}

/** Register what measures the active cell; it stands in the toolbar of notebooks while there is a cluster. */
export function addProfiling({ app, manager, notebooks }: IProfilingOptions): void {
  const { commands } = app;
  const hasCluster = (): boolean => manager.clusters.some(cluster => !hasEnded(cluster));
  let isVisible = hasCluster();
  commands.addCommand(CommandIDs.profileCell, {
    label: args => (args.toolbar === true ? '' : trans.__('Profile Cell')),
    caption: trans.__('Profile this cell'),
    icon: profileIcon,
    describedBy: described({}),
    isVisible: args => args.toolbar !== true || isVisible,
    isEnabled: () => notebooks?.activeCell?.model.type === 'code',
    execute: () => notifyingErrors(() => profileActiveCell(notebooks))
  });
  const update = (): void => commands.notifyCommandChanged(CommandIDs.profileCell);
  manager.changed.connect(() => {
    if (hasCluster() !== isVisible) {
      isVisible = !isVisible;
      update();
    }
  });
  notebooks?.activeCellChanged.connect(update);
}

async function profileActiveCell(notebooks: INotebookTracker | null): Promise<void> {
  const panel = notebooks?.currentWidget ?? null;
  const model = panel?.content.activeCell?.model;
  if (panel === null || model?.type !== 'code') {
    return;
  }
  await panel.sessionContext.ready;
  await requirePackage(panel);
  // Harmless where the notebook has done so itself.
  const kernel = panel.sessionContext.session?.kernel;
  await kernel?.requestExecute({
    code: "get_ipython().extension_manager.load_extension('gpucluster')",
    silent: true,
    store_history: false
  }).done;
  model.sharedModel.setSource(profiledSource(model.sharedModel.getSource()));
  await NotebookActions.run(panel.content, panel.sessionContext);
}
