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
