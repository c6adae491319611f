import { Clipboard, Dialog, Notification, showDialog } from '@jupyterlab/apputils';
import { URLExt } from '@jupyterlab/coreutils';
import { Widget } from '@lumino/widgets';

import { clock } from '../charts/ticks';
import type { IClusterManager, ILinkRequest } from '../clusters/tokens';
import { sentenceOf } from '../panel/asking';
import { element } from '../gauges/element';
import type { ClusterModel, NewLink, SharedLink } from '../protocol/messages';
import { trans } from '../translation';

const LEAST_HOURS = 0.1;
const DEFAULT_HOURS = 2;
const MOST_HOURS = 24;

/** Ask for a link by which others can view a cluster, and show it; active links can be revoked. */
export async function shareView(
  cluster: ClusterModel,
  manager: IClusterManager,
  baseUrl: string
): Promise<void> {
  const form = new LinkForm(cluster, await manager.links(cluster.id), manager);
  const { button, value } = await showDialog<ILinkRequest>({
    title: trans.__('Share %1', cluster.name),
    body: form,
    buttons: [Dialog.cancelButton(), Dialog.okButton({ label: trans.__('Create link') })],
    focusNodeSelector: 'input'
  });
  if (button.accept && value !== null) {
    const made = await manager.share(cluster.id, value);
    const address = URLExt.join(baseUrl, made.path);
    const shown = await showDialog({
      title: trans.__('Anyone with this link can view'),
      body: new MadeLink(made, address),
      buttons: [
        Dialog.cancelButton({ label: trans.__('Close') }),
        Dialog.okButton({ label: trans.__('Copy link') })
      ],
      focusNodeSelector: 'input'
    });
    if (shown.button.accept) {
      Clipboard.copyToSystem(address);
      Notification.success(trans.__('Link copied.'), { autoClose: 3000 });
    }
  }
}

/** What a new link is to be like, and below it those that there are. */
class LinkForm extends Widget implements Dialog.IBodyWidget<ILinkRequest> {
  constructor(
    private readonly _cluster: ClusterModel,
    links: readonly SharedLink[],
    private readonly _manager: IClusterManager
  ) {
    super({ node: element('div', 'gpc-LinkForm') });
    element('p', '', this.node).textContent = trans.__(
      'Viewers see the gauges and dashboard pages. They cannot change anything and see neither code nor logs.'
    );
    const hours = element('label', '', this.node);
    hours.append(trans.__('Expires after'), ' ');
    this._hours = element('input', '', hours);
    hours.append(' ', trans.__('hours'));
    Object.assign(this._hours, {
      type: 'number',
      required: true,
      min: `${LEAST_HOURS}`,
      max: `${MOST_HOURS}`,
      step: 'any',
      value: `${DEFAULT_HOURS}`
    });
    const tasks = element('label', '', this.node);
    this._tasks = element('input', '', tasks);
    this._tasks.type = 'checkbox';
    tasks.append(' ', trans.__('Show task names (progress, task stream, task graph)'));
    if (links.length > 0) {
      this._heading.textContent = trans.__('Active links');
      this.node.append(this._heading);
      links.forEach(link => this._addRow(link));
    }
    this._revoked = element('p', '', this.node);
    this._revoked.setAttribute('role', 'status');
    this._alert = element('p', 'gpc-Error', this.node);
    this._alert.setAttribute('role', 'alert');
    // The dialog refuses what the field does not take, and does not say why.
    this._hours.oninput = () => {
      this._alert.textContent = this._hours.validity.valid
        ? ''
        : trans.__('Enter %1 to %2 hours.', LEAST_HOURS, MOST_HOURS);
    };
  }

  getValue(): ILinkRequest {
    return { hours: Number(this._hours.value), tasks: this._tasks.checked };
  }

  private _addRow(link: SharedLink): void {
    const row = element('div', 'gpc-LinkRow', this.node);
    const opened =
      link.opened === 0
        ? trans.__('never opened')
        : trans._n('opened %1 time', 'opened %1 times', link.opened);
    const viewers = link.viewers.map(({ name }) => name).join(', ');
    const words = element('span', '', row);
    words.textContent = [
      link.id,
      trans.__('until %1', timeOf(link.ends_at)),
      link.last_opened_at === null ? opened : `${opened}, ${timeOf(link.last_opened_at)}`,
      viewers
    ]
      .filter(Boolean)
      .join(' · ');
    const button = element('button', 'gpc-Button gpc-mod-small', row);
    button.type = 'button';
    button.textContent = trans.__('Revoke');
    button.setAttribute('aria-label', trans.__('Revoke link %1', link.id));
    button.onclick = () => void this._withdraw(link, row);
  }

  private async _withdraw(link: SharedLink, row: HTMLElement): Promise<void> {
    try {
      await this._manager.withdraw(this._cluster.id, link.id);
      row.remove();
      if (this.node.querySelector('.gpc-LinkRow') === null) {
        this._heading.remove();
      }
      this._revoked.textContent = trans.__('Link %1 revoked.', link.id);
      // The button that had the focus is gone: the keyboard stays in the dialog.
      this._hours.focus();
    } catch (error) {
      this._alert.textContent = sentenceOf(error);
    }
  }

  private readonly _hours: HTMLInputElement;
  private readonly _tasks: HTMLInputElement;
  private readonly _heading = element('h4', '');
  private readonly _revoked: HTMLElement;
  private readonly _alert: HTMLElement;
}

/** A link that was just made: it is not shown again. */
class MadeLink extends Widget {
  constructor({ link }: NewLink, address: string) {
    super({ node: element('div', 'gpc-LinkForm') });
    const input = element('input', 'jp-mod-styled', this.node);
    input.readOnly = true;
    input.value = address;
    input.setAttribute('aria-label', trans.__('Link'));
    input.onfocus = () => input.select();
    element('p', '', this.node).textContent = trans.__(
      'It expires at %1, or when the cluster stops, and is not shown again. To revoke it, use Share.',
      timeOf(link.ends_at)
    );
    if (isOfThisMachine(address)) {
      const note = element('p', 'gpc-Notice', this.node);
      note.textContent = trans.__(
        'Only this machine can open this link. To share it, open JupyterLab at its network address or through a hub.'
      );
    }
  }
}

/** Whether an address means the machine that opens it. */
function isOfThisMachine(address: string): boolean {
  const { hostname } = new URL(address, window.location.href);
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

function timeOf(time: string): string {
  return clock(Date.parse(time) / 1000);
}
