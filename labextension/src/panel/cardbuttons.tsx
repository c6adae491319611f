import {
  caretDownEmptyIcon,
  ellipsesIcon,
  historyIcon,
  shareIcon,
  tabIcon,
  textEditorIcon,
  MenuSvg,
  type LabIcon
} from '@jupyterlab/ui-components';
import { CommandRegistry } from '@lumino/commands';

import { trans } from '../translation';
import type { INotebookLinks } from '../actions/links';
import { plainName } from './lines';
import { chartsIcon, recordingIcon } from '../icons';
import type { IClusterManager } from '../clusters/tokens';
import * as CommandIDs from '../actions/commandids';
import { verbActions } from '../actions/choosing';
import { can, hasEnded, isUsable } from '../clusters/states';
import type { ClusterModel } from '../protocol/messages';
import type { IAsking } from './asking';
import { Roving } from './roving';
import { pageTitle } from '../dashboards/pages';
import { h, useEffect, useRef } from '../jsx';

/** Create an ended cluster once more, with the same name and options. Its card goes, unless it failed: then its log is of use. */
async function startAgain(cluster: ClusterModel, manager: IClusterManager): Promise<void> {
  await manager.create({ ...cluster.spec, name: cluster.name });
  if (cluster.state === 'stopped') {
    await manager.remove(cluster.id);
  }
}

/** What can be chosen in a menu of a card. */
interface IMenuEntry {
  readonly label: string;
  readonly icon?: LabIcon;
  readonly isEnabled?: boolean;
  readonly isToggled?: boolean;
  readonly run: () => void;
}

/** Open a menu below a button, which gets the focus back. */
function openMenu(button: HTMLElement, entries: readonly IMenuEntry[]): void {
  // Separate commands: their names would be of no use elsewhere.
  const commands = new CommandRegistry();
  const menu = new MenuSvg({ commands });
  entries.forEach((entry, i) => {
    const command = `${i}`;
    commands.addCommand(command, {
      describedBy: { args: null },
      label: entry.label,
      icon: entry.icon,
      isEnabled: () => entry.isEnabled ?? true,
      isToggled: () => entry.isToggled === true,
      isToggleable: entry.isToggled !== undefined,
      execute: entry.run
    });
    menu.addItem({ command });
  });
  menu.aboutToClose.connect(() => {
    button.focus();
    // What was chosen runs after the menu has closed.
    window.setTimeout(() => menu.dispose());
  });
  const { left, bottom } = button.getBoundingClientRect();
  menu.open(left, bottom);
}

/** Pages of the dashboard that are looked at most. */
const FAVOURITES = [
  'individual-task-stream',
  'individual-progress',
  'individual-workers-memory',
  'individual-memory-by-key',
  'individual-graph',
  'individual-profile'
];

interface ICardButtonsProps {
  readonly cluster: ClusterModel;
  readonly manager: IClusterManager;
  readonly commands: CommandRegistry;
  readonly links: INotebookLinks;
  readonly asking: IAsking;
  readonly isScaling: boolean;
  readonly onScale: () => void;
  /** Whether the details are shown below. */
  readonly isDetailed: boolean;
  readonly onDetails: () => void;
  /** Called when links may have been made or revoked. */
  readonly onShared: () => void;
}

/** What can be done with a cluster, as far as its state allows: one stop of the Tab key. */
export function CardButtons(props: ICardButtonsProps): JSX.Element {
  const { cluster, asking } = props;
  const bar = useRef<HTMLDivElement>(null);
  const roving = useRef<Roving | null>(null);
  useEffect(() => {
    const made = bar.current && new Roving(bar.current, 'button');
    roving.current = made;
    return () => made?.dispose();
  }, []);
  useEffect(() => {
    roving.current?.settle();
  });
  const Row = hasEnded(cluster) ? Ended : cluster.state === 'starting' ? Starting : Living;
  return (
    <div
      ref={bar}
      className="gpc-CardButtons"
      role="toolbar"
      aria-label={trans.__('Actions for %1', cluster.name)}
      // A button that were disabled while it is busy would lose the focus; a second click does nothing anyway.
      aria-busy={asking.busy !== null}
    >
      {Row(props)}
    </div>
  );
}

/** A button may have moved below the pointer, or do the opposite now: nothing happens at the second of two clicks. */
const once = (act: () => void) => (event: React.MouseEvent) => void (event.detail < 2 && act());

function Living(props: ICardButtonsProps): JSX.Element[] {
  const { cluster, isScaling, onScale } = props;
  const usable = isUsable(cluster);
  const canScale = can(cluster, 'scale') || can(cluster, 'adapt');
  const hasDashboard = usable && cluster.dashboard_path !== null;
  return [
    <Connect key="connect" {...props} />,
    <span key="dashboard" className="gpc-SplitButton">
      <button
        className="gpc-Button"
        title={trans.__('Open Dask’s dashboard in a tab')}
        disabled={!hasDashboard}
        onClick={run(props, CommandIDs.openDashboard)}
      >
        {trans.__('Dashboard')}
      </button>
      <button
        className="gpc-Button"
        title={trans.__('Dashboard pages')}
        aria-label={trans.__('Dashboard pages')}
        aria-haspopup="menu"
        disabled={!hasDashboard}
        onClick={({ currentTarget }) => openMenu(currentTarget, pages(props))}
      >
        <caretDownEmptyIcon.react tag="span" className="gpc-Button-icon" />
      </button>
    </span>,
    <button
      key="scale"
      className="gpc-Button gpc-ScaleButton"
      title={
        usable && !canScale
          ? trans.__('The number of workers cannot be changed')
          : trans.__('Change the number of workers')
      }
      disabled={!usable || !canScale}
      aria-expanded={isScaling}
      onClick={once(onScale)}
    >
      {trans.__('Scale')}
    </button>,
    <button
      key="stop"
      className="gpc-Button gpc-mod-quiet"
      title={trans.__('Stop the cluster and its workers')}
      disabled={cluster.wanted.stopped}
      onClick={run(props, CommandIDs.stopCluster)}
    >
      {trans.__('Stop')}
    </button>,
    <More key="more" {...props} />
  ];
}

/** Says which notebook it would connect, or that the one in view is connected. */
function Connect(props: ICardButtonsProps): JSX.Element {
  const { asking, cluster, links } = props;
  const target = links.target();
  const name = plainName(target ?? '');
  if (target !== null && links.isConnected(cluster)) {
    return (
      <button
        className="gpc-Button gpc-ConnectButton"
        title={trans.__('%1 computes on this cluster', name)}
        aria-disabled="true"
      >
        {trans.__('Connected ✓')}
      </button>
    );
  }
  const label =
    target !== null
      ? trans.__('Connect %1', name)
      : links.hasOpen()
        ? trans.__('Connect…')
        : trans.__('Connect new notebook');
  return (
    <button
      className="gpc-Button gpc-ConnectButton gpc-mod-accept"
      title={label}
      disabled={!isUsable(cluster)}
      onClick={run(props, CommandIDs.connect)}
    >
      <span>{asking.busy === CommandIDs.connect ? trans.__('Connecting…') : label}</span>
    </button>
  );
}

function Starting(props: ICardButtonsProps): JSX.Element[] {
  const { cluster, manager, asking } = props;
  return [
    <button
      key="cancel"
      className="gpc-Button"
      disabled={cluster.wanted.stopped}
      onClick={() => void asking.run('cancel', () => manager.stop(cluster.id))}
    >
      {trans.__('Cancel')}
    </button>,
    <Log key="log" {...props} />
  ];
}

function Ended(props: ICardButtonsProps): (JSX.Element | false)[] {
  const { cluster, commands, manager, asking } = props;
  return [
    <button
      key="again"
      className="gpc-Button"
      title={trans.__('Create again with the same options')}
      onClick={once(() => void asking.run('again', () => startAgain(cluster, manager)))}
    >
      {trans.__('Start again')}
    </button>,
    cluster.state === 'failed' && (
      <button
        key="edit"
        className="gpc-Button"
        title={trans.__('Change the request and create the cluster again')}
        onClick={() => void commands.execute(CommandIDs.createCluster, { from: cluster.id })}
      >
        {trans.__('Edit and retry')}
      </button>
    ),
    <button
      key="remove"
      className="gpc-Button"
      title={trans.__('Remove from the list and delete the log')}
      onClick={once(() => void asking.run('remove', () => manager.remove(cluster.id)))}
    >
      {trans.__('Remove')}
    </button>,
    <Log key="log" {...props} />,
    <button
      key="activity"
      className="gpc-Button gpc-mod-quiet"
      title={trans.__('Log of requests and their results')}
      onClick={run(props, CommandIDs.openActivity)}
    >
      {trans.__('Activity')}
    </button>
  ];
}

function Log(props: ICardButtonsProps): JSX.Element {
  return (
    <button className="gpc-Button gpc-mod-quiet" onClick={run(props, CommandIDs.openLog)}>
      {trans.__('Log')}
    </button>
  );
}

function More(props: ICardButtonsProps): JSX.Element {
  const label = trans.__('More actions');
  return (
    <button
      className="gpc-Button gpc-MoreButton"
      title={label}
      aria-label={label}
      aria-haspopup="menu"
      onClick={({ currentTarget }) => openMenu(currentTarget, more(props))}
    >
      <ellipsesIcon.react tag="span" className="gpc-Button-icon" />
    </button>
  );
}

function pages(props: ICardButtonsProps): IMenuEntry[] {
  return FAVOURITES.map(page => ({
    label: pageTitle(page),
    run: run(props, CommandIDs.openDashboard, { page })
  }));
}

function more(props: ICardButtonsProps): IMenuEntry[] {
  const { cluster, isDetailed, onDetails } = props;
  const usable = isUsable(cluster);
  const isRecorded = cluster.recording !== null;
  return [
    { label: trans.__('Log'), icon: textEditorIcon, run: run(props, CommandIDs.openLog) },
    { label: trans.__('Activity'), icon: historyIcon, run: run(props, CommandIDs.openActivity) },
    { label: trans.__('Over time'), icon: chartsIcon, run: run(props, CommandIDs.openCharts) },
    { label: trans.__('Details'), isToggled: isDetailed, run: onDetails },
    {
      label: trans.__('Open dashboard layout'),
      icon: tabIcon,
      isEnabled: usable && cluster.dashboard_path !== null,
      run: run(props, CommandIDs.layOutDashboard)
    },
    {
      label: trans.__('Share…'),
      icon: shareIcon,
      isEnabled: usable,
      run: run(props, CommandIDs.shareCluster)
    },
    {
      label: isRecorded ? trans.__('Stop recording') : trans.__('Start recording'),
      icon: recordingIcon,
      isEnabled: usable,
      run: run(props, CommandIDs.recordCluster)
    },
    ...verbActions().map(action => ({
      label: action.entry,
      icon: action.icon,
      isEnabled: usable && can(cluster, action.verb),
      run: run(props, action.command)
    }))
  ];
}

function run(
  { cluster, commands, asking, onShared }: ICardButtonsProps,
  command: string,
  args: Readonly<Record<string, string>> = {}
): () => void {
  return () =>
    void asking
      .run(command, () => commands.execute(command, { id: cluster.id, ...args }))
      .then(() => command === CommandIDs.shareCluster && onShared());
}
