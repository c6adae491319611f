import type { NotebookPanel } from '@jupyterlab/notebook';
import { MenuSvg } from '@jupyterlab/ui-components';
import type { CommandRegistry } from '@lumino/commands';
import type { Message } from '@lumino/messaging';
import { Widget, type Menu } from '@lumino/widgets';

import * as CommandIDs from './commandids';
import type { IClusterManager } from '../clusters/tokens';
import { kernelNameOf, type IEnvironment } from './environment';
import { isUsable } from '../clusters/states';
import { clusterOf, isUsedBy, type INotebookLinks } from './links';
import { trans } from '../translation';
import { clusterIcon } from '../icons';

/** Which cluster a notebook computes on, in its toolbar; connects it, switches and creates. */
export class ClusterChip extends Widget {
  constructor(private readonly _options: ClusterChip.IOptions) {
    super();
    this.addClass('gpc-ClusterChip');
    this.addClass('jp-Toolbar-item');
    this._button = document.createElement('button');
    this._button.className = 'gpc-ClusterChip-button';
    this._button.setAttribute('aria-haspopup', 'menu');
    clusterIcon.element({ container: this._icon, tag: 'span' });
    this._icon.className = 'gpc-ClusterChip-icon';
    this._button.append(this._icon, this._label);
    this._button.addEventListener('click', () => this._openMenu());
    this.node.append(this._button);
    const { manager, links, panel, commands } = _options;
    // JupyterLab's own kind of menu draws the tick.
    this._menu = new MenuSvg({ commands });
    this._menu.title.label = trans.__('This notebook’s cluster');
    // Whatever is chosen then, the focus goes on from here.
    this._menu.aboutToClose.connect(() => this._button.focus());
    manager.changed.connect(this._draw, this);
    links.changed.connect(this._draw, this);
    panel.sessionContext.kernelChanged.connect(this._draw, this);
    this._draw();
  }

  override dispose(): void {
    const { manager, links, panel } = this._options;
    manager.changed.disconnect(this._draw, this);
    links.changed.disconnect(this._draw, this);
    panel.sessionContext.kernelChanged.disconnect(this._draw, this);
    this._menu.dispose();
    super.dispose();
  }

  protected override onAfterAttach(message: Message): void {
    super.onAfterAttach(message);
    this._draw();
  }

  private _draw(): void {
    const { panel, manager, environment } = this._options;
    const kernel = kernelNameOf(panel);
    this.node.hidden =
      kernel !== null && !environment.kernels().some(({ name }) => name === kernel);
    const cluster = clusterOf(panel, manager);
    this._button.classList.toggle('gpc-mod-linked', cluster !== null);
    this._label.textContent = cluster?.name ?? trans.__('No cluster');
    this._button.title =
      cluster === null
        ? trans.__('This notebook is not connected to a cluster. Choose one…')
        : trans.__('This notebook uses the cluster %1. Choose another…', cluster.name);
    this._button.setAttribute('aria-label', this._button.title);
  }

  private _openMenu(): void {
    const { manager, panel } = this._options;
    const menu = this._menu;
    menu.clearItems();
    for (const cluster of manager.clusters.filter(isUsable)) {
      const { id, name } = cluster;
      const args = { id, name, notebook: panel.id, isCurrent: isUsedBy(cluster, panel) };
      menu.addItem({ command: CommandIDs.connect, args });
    }
    if (menu.items.length > 0) {
      menu.addItem({ type: 'separator' });
    }
    menu.addItem({ command: CommandIDs.createCluster });
    menu.addItem({ command: CommandIDs.openPanel });
    const { left, bottom } = this._button.getBoundingClientRect();
    menu.open(left, bottom);
  }

  private readonly _button: HTMLButtonElement;
  private readonly _menu: Menu;
  private readonly _icon = document.createElement('span');
  private readonly _label = document.createElement('span');
}

export namespace ClusterChip {
  export interface IOptions {
    panel: NotebookPanel;
    manager: IClusterManager;
    links: INotebookLinks;
    environment: IEnvironment;
    commands: CommandRegistry;
  }
}
