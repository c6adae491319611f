import { formatBytes, formatShare, levelOf, shareOf, type IReading } from '../gauges';
import { h } from '../jsx';
import { trans } from '../translation';
import { Meter } from './meter';

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
