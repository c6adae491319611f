import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ISettingRegistry } from '@jupyterlab/settingregistry';

import * as CommandIDs from '../actions/commandids';
import { IClusterManager } from '../clusters/tokens';
import { followSettings, initialSettings, PLUGIN_ID } from '../settings';
import { Notices, type ITold } from './notices';

/** News of clusters in JupyterLab's notification centre. */
export const noticesPlugin: JupyterFrontEndPlugin<void> = {
  id: 'gpucluster:notices',
  description: 'Notifies of events.',
  autoStart: true,
  requires: [IClusterManager],
  optional: [ISettingRegistry],
  activate: (
    app: JupyterFrontEnd,
    manager: IClusterManager,
    registry: ISettingRegistry | null
  ): void => {
    const settings = initialSettings();
    const notices = new Notices({
      manager,
      told: toldInBrowser(app.serviceManager.serverSettings.baseUrl),
      onOpen: ({ id }) => void app.commands.execute(CommandIDs.openActivity, { id }),
      onMute: kind => {
        notices.kinds = settings.notices.filter(other => other !== kind);
        registry?.set(PLUGIN_ID, 'notices', [...notices.kinds]).catch((reason: unknown) => {
          console.error('The settings of gpucluster could not be written.', reason);
        });
      }
    });
    void followSettings(registry, PLUGIN_ID, settings, () => {
      notices.kinds = settings.notices;
    });
  }
};

/** Kept in this browser for each server: a person may have several pages, and comes back tomorrow. */
function toldInBrowser(server: string): ITold {
  const key = `gpucluster:told:${server}`;
  let here: string | null = null;
  return {
    get: () => {
      try {
        return window.localStorage.getItem(key) ?? here;
      } catch {
        return here; // A browser may keep nothing.
      }
    },
    set: at => {
      here = at;
      try {
        window.localStorage.setItem(key, at);
      } catch {
        // Then news are shown again on the next page.
      }
    }
  };
}
