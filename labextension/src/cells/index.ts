import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import type { ISettingRegistry } from '@jupyterlab/settingregistry';

import type { IClusterManager } from '../clusters/tokens';
import { followSettings, initialSettings, PLUGIN_ID } from '../settings';
import { NotebookStrips } from './notebookstrips';

/** Give the cells of all notebooks their lines. */
export function addCellStrips(
  app: JupyterFrontEnd,
  manager: IClusterManager,
  notebooks: INotebookTracker,
  registry: ISettingRegistry | null
): void {
  const settings = initialSettings();
  const strips = new Map<NotebookPanel, NotebookStrips>();
  const add = (panel: NotebookPanel): void => {
    strips.set(
      panel,
      new NotebookStrips({
        panel,
        manager,
        choice: () => settings.cellStrip,
        execute: (command, args) => app.commands.execute(command, args)
      })
    );
    panel.disposed.connect(() => strips.delete(panel));
  };
  void followSettings(registry, PLUGIN_ID, settings, () => {
    strips.forEach(one => one.update());
  });
  notebooks.forEach(add);
  notebooks.widgetAdded.connect((_, panel) => add(panel));
}
