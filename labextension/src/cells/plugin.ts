import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ISettingRegistry } from '@jupyterlab/settingregistry';

import { parts } from './parts';
import { IClusterManager } from '../clusters/tokens';
import { followSettings, initialSettings, PLUGIN_ID } from '../settings';

/** What a cell computes on a cluster, below the cell. Loaded after the panel: it is not needed at once. */
export const cellsPlugin: JupyterFrontEndPlugin<void> = {
  id: 'gpucluster:cells',
  description: 'Shows the work of cells.',
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
      void import('.').then(({ addCellStrips }) => {
        const settings = initialSettings();
        const update = addCellStrips(parts(), app.commands, manager, notebooks, settings);
        void followSettings(registry, PLUGIN_ID, settings, update);
      });
    }
  }
};
