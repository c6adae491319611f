import { formatBytes, formatShare, levelOf, shareOf, type IReading } from '../gauges';
import { trans } from '../translation';
import { h } from '../jsx';

interface IMeterProps {
  readonly label: string;
  /** From 0 to 1; what is beyond fills it. */
  readonly share: number;
  /** What it says to those who cannot see it. */
  readonly text: string;
}

/** One plain bar. */
export function Meter({ label, share, text }: IMeterProps): JSX.Element {
  const percent = Math.round(Math.min(1, share) * 100);
  return (
    <span
      className="gpc-Track"
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
      aria-valuetext={text}
    >
      <i style={{ width: `${percent}%` }} />
    </span>
  );
}

interface IVramBarProps {
  readonly reading: IReading;
  /** What it says to those who point at it, or cannot see it. */
  readonly text: string;
}

/** How full the memory of a GPU is. */
export function VramBar({ reading, text }: IVramBarProps): JSX.Element {
  const { used, total } = reading;
  const share = shareOf(reading);
  const label = trans.__('VRAM');
  return (
    <div className="gpc-Bar" data-level={levelOf(reading)} title={text}>
      <span>{label}</span>
      {share === null ? <span /> : <Meter label={label} share={share} text={text} />}
      <span className="gpc-Bar-figures">
        {total === null ? formatBytes(used) : formatShare(used, total)}
      </span>
    </div>
  );
}
