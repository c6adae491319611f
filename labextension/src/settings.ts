import type { ISettingRegistry } from '@jupyterlab/settingregistry';

import type { CellStripChoice } from './cells/notebookstrips';
import type { Arrangement } from './dashboards/arrangement';
import { DEFAULT_THRESHOLDS } from './gauges';
import type { StatusBarChoice } from './host/statusitem';

/** Names the schema of the settings. */
export const PLUGIN_ID = 'gpucluster:plugin';

/** Kinds of news that a person may be told. */
export const NEWS_KINDS = [
  'done',
  'worker_died',
  'spill',
  'pause',
  'gpu',
  'message',
  'stopped'
] as const;

/** What a person can set, with what holds until the settings are read. */
export interface IPanelSettings {
  cellStrip: CellStripChoice;
  confirmStop: boolean;
  cpuLayout: Arrangement;
  dashboardInvert: boolean;
  dashboardPage: string;
  defaultPreset: string;
  gpuLayout: Arrangement;
  notices: readonly string[];
  pollSeconds: number;
  warningPercent: number;
  criticalPercent: number;
  statusBar: StatusBarChoice;
}

export function initialSettings(): IPanelSettings {
  const tasks = ['individual-task-stream', 'individual-progress'];
  return {
    ...DEFAULT_THRESHOLDS,
    cellStrip: 'always',
    confirmStop: true,
    cpuLayout: [tasks, ['individual-workers-memory', 'individual-cpu']],
    dashboardInvert: true,
    dashboardPage: 'status',
    defaultPreset: 'auto',
    gpuLayout: [tasks, ['individual-gpu-memory', 'individual-gpu-utilization']],
    notices: [...NEWS_KINDS],
    pollSeconds: 10,
    statusBar: 'gpu'
  };
}

/** Copy the settings, now and whenever they change. */
export async function followSettings(
  registry: ISettingRegistry | null,
  plugin: string,
  settings: IPanelSettings,
  onChange: () => void
): Promise<void> {
  try {
    const loaded = await registry?.load(plugin);
    const copy = (): void => {
      Object.assign(settings, initialSettings(), loaded?.composite);
      onChange();
    };
    loaded?.changed.connect(copy);
    copy();
  } catch (reason) {
    console.error('The settings could not be read.', reason);
  }
}
