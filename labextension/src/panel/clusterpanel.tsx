import { ReactWidget } from '@jupyterlab/ui-components';
import type { CommandRegistry } from '@lumino/commands';
import type { Message } from '@lumino/messaging';
import { createPortal } from 'react-dom';

import { CreateForm } from '../form/createform';
import { Fragment, h, useEffect, useState } from '../jsx';
import { trans } from '../translation';
import { HostDevices } from '../host/hostdevices';
import { createAtOnce } from '../form/starting';
import { MovableSections } from './movablesections';
import { ClusterList } from './clusterlist';
import { DEFAULT_THRESHOLDS, type IThresholds } from '../gauges';
import { ListOrder } from './listorder';
import * as CommandIDs from '../actions/commandids';
import { CreatedClusters } from './created';
import type { IClusterManager } from '../clusters/tokens';
import type { SiteFaults } from '../protocol/messages';
import { LessonsLine } from '../lessons/lessonlist';
import { clusterIcon } from '../icons';
import { hasEnded } from '../clusters/states';
import type { IEnvironment } from '../actions/environment';
import type { INotebookLinks } from '../actions/links';
import type { ILessonStore } from '../lessons/tokens';
import type { Unfolded } from './unfolded';

interface ISiteFaultsProps {
  readonly manager: IClusterManager;
  /** Changes whenever it is time to look again. */
  readonly shown: number;
}

/** The site's message of the day, and what is wrong with its file: for who can fix it a line that unfolds. */
export function SiteFaultsLine({ manager, shown }: ISiteFaultsProps): JSX.Element | null {
  const [site, setSite] = useState<SiteFaults | null>(null);
  const look = (): void => {
    // Where the server does not respond, the list says so.
    manager.site().then(setSite, () => undefined);
  };
  useEffect(look, [manager, shown]);
  const message = site?.message ? <p className="gpc-Hint">{site.message}</p> : null;
  const faults = site?.faults ?? [];
  if (faults.length > 0) {
    return (
      <>
        {message}
        <details className="gpc-Details gpc-SiteFaults" onToggle={look}>
          <summary>
            {trans._n('%1 error in the site’s file', '%1 errors in the site’s file', faults.length)}
          </summary>
          <ul>
            {faults.map(fault => (
              <li key={fault}>{fault}</li>
            ))}
          </ul>
        </details>
      </>
    );
  }
  return (
    <>
      {message}
      {site?.notice ? <p className="gpc-Hint gpc-SiteFaults">{site.notice}</p> : null}
    </>
  );
}

/** The sidebar panel: the list of clusters, or the form for a new one. */
export class ClusterPanel extends ReactWidget {
  constructor(options: ClusterPanel.IOptions) {
    super();
    this._options = options;
    this.id = 'gpucluster-panel';
    this.addClass('gpc-ClusterPanel');
    this.title.icon = clusterIcon;
    this.title.caption = trans.__('GPU clusters');
    this.node.setAttribute('role', 'region');
    this.node.setAttribute('aria-label', trans.__('GPU clusters'));
    const titles = { 'gpucluster-gpus': trans.__('GPUs on this machine') };
    this.sections = new MovableSections(titles, () => this.update());
    options.manager.changed.connect(this._onChanged, this);
    this._created = new CreatedClusters(options.manager, options.unfolded);
    options.manager.created.connect((_, { id }) => this._order.see(id));
    options.links.changed.connect(this._onChanged, this);
    options.unfolded.changed.connect(this._onChanged, this);
    options.lessons.changed.connect(this._onChanged, this);
  }

  /** What can be moved into other panels. */
  readonly sections: MovableSections;

  /** Name of the preset that the form starts with. */
  defaultPreset = 'auto';

  /** From how much on gauges warn. */
  get thresholds(): IThresholds {
    return this._thresholds;
  }

  set thresholds(thresholds: IThresholds) {
    this._thresholds = thresholds;
    this.update();
  }

  /** Show the form for a new cluster, with a request in it that was made before, and why that failed. */
  showForm(filled: Readonly<Record<string, unknown>> | null = null, reason = ''): void {
    // A form that is open keeps what is typed in it.
    if (!this._isCreating || filled !== null) {
      this._filled = filled;
      this._reason = reason;
      this._forms += 1;
    }
    this._isCreating = true;
    this.update();
  }

  /** Show the list. */
  showList(): void {
    this._isReturning = this._isCreating;
    this._isCreating = false;
    this.update();
  }

  protected override render(): JSX.Element {
    const { lessons, links, manager, commands, environment, unfolded } = this._options;
    const [gpus] = this.sections.all;
    // Once: a list that is drawn again later takes the focus from nothing.
    const isReturning = this._isReturning;
    this._isReturning = false;
    const sections = [
      createPortal(<HostDevices manager={manager} commands={commands} />, gpus.node, gpus.id)
    ];
    return (
      <>
        {sections}
        {this._isCreating ? (
          <CreateForm
            key={this._forms}
            filled={this._filled}
            reason={this._reason}
            manager={manager}
            environment={environment}
            defaultPreset={this.defaultPreset}
            onDone={() => this.showList()}
          />
        ) : (
          <>
            <ClusterList
              manager={manager}
              commands={commands}
              links={links}
              unfolded={unfolded}
              order={this._order}
              created={this._created}
              thresholds={this._thresholds}
              onCreate={() => this.showForm()}
              onQuickStart={() => createAtOnce(manager, environment, this.defaultPreset)}
              isReturning={isReturning}
            />
            <SiteFaultsLine manager={manager} shown={this._timesShown} />
            <div ref={gpus.place} />
            <LessonsLine store={lessons} commands={commands} />
            <p className="gpc-Recordings">
              <button
                className="gpc-OpenLink"
                onClick={() => void commands.execute(CommandIDs.openRecording)}
              >
                {trans.__('Play a recording…')}
              </button>
            </p>
          </>
        )}
      </>
    );
  }

  protected override onAfterShow(message: Message): void {
    super.onAfterShow(message);
    // Asking for the list is also how the server learns that a cluster may be wanted soon.
    this._options.manager.refresh().catch(() => undefined);
    void this._options.lessons.refresh();
    this._timesShown += 1;
    this.update();
  }

  private _onChanged(): void {
    this._showOwn();
    if (this.isVisible || this.sections.all.some(({ isMoved }) => isMoved)) {
      this.update();
    }
  }

  /** The cluster of the notebook that comes into view stands first: show it, unless somebody works in the panel. */
  private _showOwn(): void {
    const { links, manager } = this._options;
    const own = manager.clusters.find(one => !hasEnded(one) && links.isConnected(one))?.id;
    if (own !== this._own && own !== undefined && !this.node.contains(document.activeElement)) {
      this.node.scrollTop = 0;
    }
    this._own = own;
  }

  private readonly _options: ClusterPanel.IOptions;
  private readonly _created: CreatedClusters;
  private readonly _order = new ListOrder();
  private _isCreating = false;
  private _filled: Readonly<Record<string, unknown>> | null = null;
  private _reason = '';
  private _forms = 0;
  private _isReturning = false;
  private _timesShown = 0;
  private _own: string | undefined;
  private _thresholds = DEFAULT_THRESHOLDS;
}

export namespace ClusterPanel {
  export interface IOptions {
    manager: IClusterManager;
    lessons: ILessonStore;
    links: INotebookLinks;
    /** What is open and what is folded. */
    unfolded: Unfolded;
    commands: CommandRegistry;
    environment: IEnvironment;
  }
}
