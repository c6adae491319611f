import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { IStatusBar } from '@jupyterlab/statusbar';

import * as CommandIDs from './actions/commandids';
import { IClusterManager } from './clusters/tokens';
import { StatusItem } from './host/statusitem';
import { followSettings, initialSettings, PLUGIN_ID } from './settings';

/** The GPUs of the Jupyter host at the bottom of the window. */
export const statusPlugin: JupyterFrontEndPlugin<void> = {
  id: 'gpucluster:status',
  description: 'Shows GPUs on this machine.',
  autoStart: true,
  requires: [IClusterManager],
  // Notebook 7 has no status bar.
  optional: [IStatusBar, ISettingRegistry],
  activate: (
    app: JupyterFrontEnd,
    manager: IClusterManager,
    statusBar: IStatusBar | null,
    registry: ISettingRegistry | null
  ): void => {
    if (statusBar === null) {
      return;
    }
    const onOpen = (): void => void app.commands.execute(CommandIDs.openPanel);
    const item = new StatusItem({ manager, onOpen });
    statusBar.registerStatusItem('gpucluster:status', {
      item,
      align: 'left',
      rank: 20,
      isActive: () => item.isActive,
      activeStateChanged: item.isActiveChanged
    });
    const settings = initialSettings();
    void followSettings(registry, PLUGIN_ID, settings, () => {
      item.choice = settings.statusBar;
    });
  }
};
