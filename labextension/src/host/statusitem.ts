import { Signal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { IStatusBar } from '@jupyterlab/statusbar';

import { formatPercent, formatShare } from '../gauges/units';
import * as CommandIDs from '../actions/commandids';
import type { HostDevices } from '../protocol/messages';
import { trans } from '../translation';
import { followSettings, initialSettings, PLUGIN_ID } from '../settings';
import { hostGpus, hostTotals } from './hosttotals';
import { IClusterManager } from '../clusters/tokens';

/** When the item is shown: where there is a GPU, always, or never. */
export type StatusBarChoice = 'gpu' | 'always' | 'never';

/** States in which there may well be a GPU, but it cannot be used. */
const TROUBLES: readonly string[] = ['version_mismatch', 'no_permission', 'error'];

/** The GPUs of the Jupyter host in the status bar. */
export class StatusItem extends Widget {
  constructor(private readonly _options: StatusItem.IOptions) {
    super();
    this.addClass('gpc-StatusItem');
    this._button.type = 'button';
    this._button.addEventListener('click', () => _options.onOpen());
    this.node.append(this._button);
    _options.manager.hostChanged.connect(this._draw, this);
    this._draw();
  }

  get isActive(): boolean {
    return this._isActive;
  }

  /** Emitted when the item is to be shown or hidden. */
  readonly isActiveChanged = new Signal<this, void>(this);

  get choice(): StatusBarChoice {
    return this._choice;
  }

  set choice(choice: StatusBarChoice) {
    this._choice = choice;
    this._draw();
  }

  private _draw(): void {
    const { manager } = this._options;
    const { host } = manager;
    const isActive = host !== null && isWanted(host, this._choice);
    if (isActive) {
      this._button.textContent = statusText(host);
      this._button.title = statusTitle(host);
    }
    if (isActive !== this._isActive) {
      this._isActive = isActive;
      this.isActiveChanged.emit();
    }
  }

  private readonly _button = document.createElement('button');
  private _choice: StatusBarChoice = 'gpu';
  private _isActive = false;
}

export namespace StatusItem {
  export interface IOptions {
    manager: IClusterManager;
    /** Show the panel. */
    onOpen: () => void;
  }
}

function isWanted(host: HostDevices, choice: StatusBarChoice): boolean {
  const hasGpu = host.devices.length > 0 || TROUBLES.includes(host.code);
  return choice === 'always' || (choice === 'gpu' && hasGpu);
}

/** `GPU 12 / 80 GiB · 45 %`, or that there is none. */
function statusText(host: HostDevices): string {
  const { nGpus, nUnreadable, used, total, utilization } = hostTotals(host);
  if (nGpus === 0) {
    return TROUBLES.includes(host.code) ? trans.__('GPU not readable') : trans.__('No GPU');
  }
  const figures = [
    used === null || total === null ? null : formatShare(used, total),
    utilization === null ? null : formatPercent(utilization),
    nUnreadable === 0 ? null : trans.__('%1 not readable', nUnreadable)
  ].filter(Boolean);
  const name = nGpus === 1 ? trans.__('GPU') : trans.__('%1 GPUs', nGpus);
  return [name, figures.join(' · ')].join(' ').trim();
}

function statusTitle(host: HostDevices): string {
  const lines = hostGpus(host.devices).map(({ device }) => {
    const name = trans.__('GPU %1: %2', device.index ?? '', device.name ?? '');
    return device.error === null ? name : `${name}. ${device.error}`;
  });
  return [host.message, ...lines].join('\n');
}

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
