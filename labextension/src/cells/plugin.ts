import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ISettingRegistry } from '@jupyterlab/settingregistry';

import { IClusterManager } from '../clusters/tokens';

/** What a cell computes on a cluster, below the cell. Loaded after the panel: it is not needed at once. */
export const cellsPlugin: JupyterFrontEndPlugin<void> = {
  id: 'gpucluster:cells',
  description: 'Shows below a cell what it computes on a cluster.',
  autoStart: true,
  requires: [IClusterManager],
  // Notebook 7 has notebooks on their own pages alone.
  optional: [INotebookTracker, ISettingRegistry],
  activate: (
    app: JupyterFrontEnd,
    manager: IClusterManager,
    notebooks: INotebookTracker | null,
    registry: ISettingRegistry | null
  ): void => {
    if (notebooks !== null) {
      void import('.').then(({ addCellStrips }) =>
        addCellStrips(app, manager, notebooks, registry)
      );
    }
  }
};
