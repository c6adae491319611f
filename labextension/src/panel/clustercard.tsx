import type { TranslationBundle } from '@jupyterlab/translation';
import { LabIcon, refreshIcon, stopIcon } from '@jupyterlab/ui-components';
import type { CommandRegistry } from '@lumino/commands';
import React, { useEffect, useState } from 'react';

import { CommandIDs } from '../actions/commandids';
import { hasEnded, isUsable, stateLabel } from '../clusters/states';
import type { IClusterManager } from '../clusters/tokens';
import { clusterBars } from '../gauges';
import { logIcon } from '../icons';
import type { ClusterModel } from '../protocol/messages';
import { sentenceOf, useAsking, type IAsking } from './asking';
import { Bars, barWords } from './bars';
import { Details } from './details';
import { clientsLine, countdownLine, kindLine, tasksLine, workersLine } from './lines';
import { ProgressLine } from './progressline';
import { ScaleEditor } from './scaleeditor';

export interface IClusterCardProps {
  readonly cluster: ClusterModel;
  readonly manager: IClusterManager;
  readonly commands: CommandRegistry;
  readonly trans: TranslationBundle;
}

/** One cluster. */
export function ClusterCard(props: IClusterCardProps): JSX.Element {
  const { cluster, manager, trans } = props;
  const asking = useAsking();
  const [isScaling, setScaling] = useState(false);
  const title = `gpucluster-${cluster.id}`;
  return (
    <li className="gpc-ClusterCard" data-state={cluster.state} aria-labelledby={title}>
      <div className="gpc-ClusterCard-header">
        <h3 id={title} title={cluster.name}>
          {cluster.name}
        </h3>
        <span className="gpc-State" role="status">
          {stateLabel(cluster.state, trans)}
        </span>
      </div>
      {hasEnded(cluster) ? <Ended {...props} /> : <Living {...props} />}
      {asking.error !== null && (
        <p className="gpc-Error" role="alert">
          {sentenceOf(asking.error)}
        </p>
      )}
      <Buttons
        {...props}
        asking={asking}
        isScaling={isScaling}
        onScale={() => setScaling(!isScaling)}
      />
      {isScaling && isUsable(cluster) && (
        <ScaleEditor
          cluster={cluster}
          manager={manager}
          trans={trans}
          onClose={() => setScaling(false)}
        />
      )}
    </li>
  );
}

function Living({ cluster, manager, trans }: IClusterCardProps): JSX.Element {
  const sample = useSample(manager, cluster.id);
  const countdown = countdownLine(cluster, manager, trans);
  return (
    <>
      <p className="gpc-Line">
        {cluster.scheduler_address === null
          ? kindLine(cluster, trans)
          : workersLine(cluster, manager, trans)}
        {!cluster.encrypted && (
          <span
            className="gpc-Unencrypted"
            title={trans.__('Anyone who can reach this address can run code as you.')}
          >
            {trans.__('unencrypted')}
          </span>
        )}
      </p>
      {cluster.backend_reason !== null && <p className="gpc-Reason">{cluster.backend_reason}</p>}
      <ProgressLine cluster={cluster} trans={trans} />
      {cluster.scheduler_address !== null && (
        <>
          {sample !== undefined && <Bars bars={clusterBars(sample, barWords(trans))} />}
          <p className="gpc-Line">
            {clientsLine(cluster, trans)}
            {sample !== undefined && <span> · {tasksLine(sample, trans)}</span>}
          </p>
          {countdown !== null && <p className="gpc-Line gpc-Countdown">{countdown}</p>}
          <Details cluster={cluster} sample={sample} trans={trans} />
        </>
      )}
    </>
  );
}

function Ended({ cluster, trans }: IClusterCardProps): JSX.Element {
  return (
    <>
      {cluster.reason !== null && (
        <p className={cluster.state === 'failed' ? 'gpc-Error' : 'gpc-Reason'}>{cluster.reason}</p>
      )}
      {cluster.log_tail.length > 0 && (
        <details className="gpc-Details">
          <summary>{trans.__('End of the log')}</summary>
          <pre className="gpc-Log" tabIndex={0} aria-label={trans.__('End of the log')}>
            {cluster.log_tail.join('\n')}
          </pre>
        </details>
      )}
    </>
  );
}

interface IButtonsProps extends IClusterCardProps {
  readonly asking: IAsking;
  readonly isScaling: boolean;
  readonly onScale: () => void;
}

function Buttons(props: IButtonsProps): JSX.Element {
  const { cluster, manager, commands, trans, asking, isScaling, onScale } = props;
  const command = (id: string) => () =>
    void asking.run(id, () => commands.execute(id, { id: cluster.id }));
  const isBusy = asking.busy !== null;
  const usable = isUsable(cluster);
  const log = (
    <SmallButton
      icon={logIcon}
      label={trans.__('Log')}
      title={trans.__('Show the log')}
      disabled={isBusy}
      onClick={command(CommandIDs.openLog)}
    />
  );
  if (hasEnded(cluster)) {
    return (
      <div className="gpc-Buttons">
        <button
          className="gpc-Button"
          disabled={isBusy}
          onClick={() => void asking.run('remove', () => manager.remove(cluster.id))}
        >
          {trans.__('Remove')}
        </button>
        {log}
      </div>
    );
  }
  if (cluster.state === 'starting') {
    return (
      <div className="gpc-Buttons">
        <button
          className="gpc-Button"
          disabled={isBusy || cluster.wanted.stopped}
          onClick={() => void asking.run('cancel', () => manager.stop(cluster.id))}
        >
          {trans.__('Cancel')}
        </button>
        {log}
      </div>
    );
  }
  return (
    <>
      <div className="gpc-Buttons gpc-mod-even">
        <button
          className="gpc-Button gpc-mod-accept"
          title={trans.__('Connect the active notebook')}
          disabled={isBusy || !usable}
          onClick={command(CommandIDs.connect)}
        >
          {trans.__('Connect')}
        </button>
        <button
          className="gpc-Button"
          title={trans.__('Open Dask’s dashboard in a tab')}
          disabled={isBusy || !usable || cluster.dashboard_path === null}
          onClick={command(CommandIDs.openDashboard)}
        >
          {trans.__('Dashboard')}
        </button>
        <button
          className="gpc-Button"
          title={trans.__('Change the number of workers')}
          disabled={isBusy || !usable}
          aria-expanded={isScaling}
          onClick={onScale}
        >
          {trans.__('Scale')}
        </button>
      </div>
      <div className="gpc-Buttons gpc-mod-even gpc-mod-small">
        {log}
        <SmallButton
          icon={refreshIcon}
          label={trans.__('Restart')}
          title={trans.__('Restart the workers')}
          disabled={isBusy || !usable}
          onClick={command(CommandIDs.restartWorkers)}
        />
        <SmallButton
          icon={stopIcon}
          label={trans.__('Stop')}
          title={trans.__('Stop the cluster')}
          disabled={isBusy || cluster.wanted.stopped}
          onClick={command(CommandIDs.stopCluster)}
        />
      </div>
    </>
  );
}

interface ISmallButtonProps {
  readonly icon: LabIcon;
  readonly label: string;
  readonly title: string;
  readonly disabled: boolean;
  readonly onClick: () => void;
}

function SmallButton(props: ISmallButtonProps): JSX.Element {
  const { icon, label, title, disabled, onClick } = props;
  return (
    <button className="gpc-SmallButton" title={title} disabled={disabled} onClick={onClick}>
      <icon.react tag="span" className="gpc-Button-icon" />
      {label}
    </button>
  );
}

function useSample(manager: IClusterManager, id: string): ReturnType<IClusterManager['sample']> {
  const [, setAt] = useState('');
  useEffect(() => {
    const onSampled = (_: IClusterManager, sampled: string): void => {
      if (sampled === id && !document.hidden) {
        setAt(manager.sample(id)?.at ?? '');
      }
    };
    manager.sampled.connect(onSampled);
    return () => {
      manager.sampled.disconnect(onSampled);
    };
  }, [manager, id]);
  return manager.sample(id);
}
