import { h } from '../jsx';
import type { ClusterModel } from '../protocol/messages';
import { trans } from '../translation';

interface IProgressLineProps {
  readonly cluster: ClusterModel;
}

/** What a cluster is doing right now, while it starts, scales or stops. */
export function ProgressLine({ cluster }: IProgressLineProps): JSX.Element | null {
  const { progress, state } = cluster;
  if (progress === null && state !== 'starting' && state !== 'stopping') {
    return null;
  }
  const done = progress?.done ?? null;
  const total = progress?.total ?? null;
  const isCounted = done !== null && total !== null && total > 0;
  const message =
    progress?.message ?? (state === 'stopping' ? trans.__('Stopping') : trans.__('Starting'));
  return (
    <div className="gpc-Progress">
      <p className="gpc-Line" aria-live="polite">
        {message}
        {isCounted && (
          <span className="gpc-Progress-count">{trans.__('%1 of %2', done, total)}</span>
        )}
      </p>
      <div
        className="gpc-Progress-track"
        role="progressbar"
        aria-label={message}
        aria-valuemin={0}
        aria-valuemax={isCounted ? total : undefined}
        aria-valuenow={isCounted ? done : undefined}
      >
        <div
          className={`gpc-Progress-fill ${isCounted ? '' : 'gpc-mod-unknown'}`}
          style={isCounted ? { width: `${(done / total) * 100}%` } : undefined}
        />
      </div>
    </div>
  );
}
