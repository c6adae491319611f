import { ReactWidget, historyIcon } from '@jupyterlab/ui-components';
import type { Message } from '@lumino/messaging';
import { Debouncer } from '@lumino/polling';

import { ClusterTab, type IClusterTabOptions, type IFollowing } from '../shell/clustertab';
import { trans } from '../translation';
import type { ActivityEntry } from '../protocol/messages';
import { clock } from '../charts/ticks';
import { Fault, sentenceOf } from '../panel/asking';
import { Fragment, h } from '../jsx';

interface IActivityTableProps {
  readonly label: string;
  readonly entries: readonly ActivityEntry[];
}

/** Entries, newest first. */
function ActivityTable({ label, entries }: IActivityTableProps): JSX.Element {
  if (entries.length === 0) {
    return <p role="status">{trans.__('No activity yet.')}</p>;
  }
  return (
    <table className="gpc-ActivityTable" aria-label={label}>
      <thead>
        <tr>
          <th scope="col">{trans.__('When')}</th>
          <th scope="col">{trans.__('What')}</th>
          <th scope="col">{trans.__('Requested by')}</th>
        </tr>
      </thead>
      <tbody>
        {entries
          .map((entry, i) => (
            <tr key={i} data-kind={entry.kind}>
              <td>
                <time dateTime={entry.at} title={new Date(entry.at).toLocaleString()}>
                  {momentOf(entry.at)}
                </time>
              </td>
              <td>{entry.message}</td>
              <td>{entry.by ?? ''}</td>
            </tr>
          ))
          .reverse()}
      </tbody>
    </table>
  );
}

/** Time of day, with the date unless it is today's. */
function momentOf(at: string): string {
  const moment = new Date(at);
  const isToday = moment.toDateString() === new Date().toDateString();
  return isToday ? clock(moment.getTime() / 1000, true) : moment.toLocaleString();
}

/** What has happened to a cluster, as a tab: who asked what, when, and what came of it. */
export class ActivityView extends ClusterTab {
  constructor(options: IClusterTabOptions) {
    super(new ActivityList(options), options, historyIcon, name => trans.__('Activity: %1', name));
  }
}

/** Reads the activity whenever the cluster has changed, while it is visible. */
class ActivityList extends ReactWidget implements IFollowing {
  constructor(private readonly _options: IClusterTabOptions) {
    super();
    this.addClass('gpc-ActivityList');
    _options.manager.changed.connect(this._onChanged, this);
  }

  restart(): void {
    this._entries = null;
    this._fault = null;
    this.update();
    this._onChanged();
  }

  override dispose(): void {
    if (!this.isDisposed) {
      this._reading.dispose();
      super.dispose();
    }
  }

  protected override render(): JSX.Element {
    const { name } = this._options;
    return (
      <>
        <Fault error={this._fault} />
        {this._entries === null ? (
          this._fault === null && <p role="status">{trans.__('Loading…')}</p>
        ) : (
          <ActivityTable label={trans.__('Activity: %1', name)} entries={this._entries} />
        )}
      </>
    );
  }

  protected override onAfterShow(message: Message): void {
    super.onAfterShow(message);
    this._onChanged();
  }

  protected override onAfterAttach(message: Message): void {
    super.onAfterAttach(message);
    this._onChanged();
  }

  private _onChanged(): void {
    if (this.isVisible) {
      void this._reading.invoke();
    }
  }

  private async _read(): Promise<void> {
    const { id, manager } = this._options;
    if (this._entries !== null && manager.isReady && manager.get(id) === undefined) {
      // What was removed has no activity any more; what is shown stays.
      return;
    }
    let entries = this._entries;
    let fault: string | null = null;
    try {
      entries = await manager.activity(id);
    } catch (error) {
      fault = sentenceOf(error);
    }
    if (id !== this._options.id) {
      return;
    }
    this._entries = entries;
    this._fault = fault;
    if (!this.isDisposed) {
      this.update();
    }
  }

  private readonly _reading = new Debouncer(() => this._read(), 250);
  private _entries: readonly ActivityEntry[] | null = null;
  private _fault: string | null = null;
}
