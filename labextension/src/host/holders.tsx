import type { TranslationBundle } from '@jupyterlab/translation';

import { Fragment, h } from '../jsx';
import type { NodeModel, SharedDevice, SlotHolder } from '../protocol/messages';
import { Ticking } from '../panel/ticking';
import { spanOf } from './spans';

interface IHoldersProps {
  readonly device: SharedDevice | undefined;
  readonly trans: TranslationBundle;
  /** What an instructor may do with somebody's clusters. */
  readonly tools: (user: string) => JSX.Element | null;
}

/** Who has a GPU or slots of it, since when, and until when at most. */
export function Holders({ device, trans, tools }: IHoldersProps): JSX.Element | null {
  if (device === undefined || (device.holders.length === 0 && !device.reserved)) {
    return null;
  }
  const free = (device.slots ?? 0) - device.holders.filter(({ counts }) => counts).length;
  return (
    <ul className="gpc-Holders" aria-label={trans.__('Who has GPU %1', device.index ?? '')}>
      {device.reserved && <li>{trans.__('reserved: given to nobody')}</li>}
      {device.holders.map((holder, i) => (
        <li key={i} className={holder.mine ? 'gpc-mod-mine' : ''}>
          <span className="gpc-Holder-who">{whoOf(holder, trans)}</span>
          {holder.slot !== null && device.slots !== null && (
            <span>{trans.__('slot %1 of %2', holder.slot, device.slots)}</span>
          )}
          {!holder.mine && holder.user !== null && tools(holder.user)}
          <span className="gpc-Holder-times">
            <Ticking milliseconds={5000} text={() => times(holder, trans)} />
          </span>
        </li>
      ))}
      {device.holders.length > 0 && free > 0 && (
        <li>{trans._n('%1 slot free', '%1 slots free', free)}</li>
      )}
    </ul>
  );
}

/** Those who wait for a GPU, the first one first. */
export function Line({
  node,
  trans
}: {
  readonly node: NodeModel;
  readonly trans: TranslationBundle;
}): JSX.Element | null {
  if (node.line.length === 0) {
    return null;
  }
  return (
    <>
      <h3 className="gpc-Node-title">{trans.__('In line')}</h3>
      <ol className="gpc-Holders" aria-label={trans.__('In line')}>
        {node.line.map((place, i) => (
          <li key={i} className={place.mine ? 'gpc-mod-mine' : ''}>
            <span className="gpc-Holder-who">{`${i + 1}. ${whoOf(place, trans)}`}</span>
            <span>
              {place.certain
                ? trans._n('%1 certain GPU', '%1 certain GPUs', place.gpus)
                : trans._n('%1 GPU', '%1 GPUs', place.gpus)}
            </span>
            <span className="gpc-Holder-times">
              <Ticking
                milliseconds={5000}
                text={() => trans.__('for %1', spanOf(place.since, -1))}
              />
            </span>
          </li>
        ))}
      </ol>
    </>
  );
}

function whoOf(
  { user, mine }: Pick<SlotHolder, 'user' | 'mine'>,
  trans: TranslationBundle
): string {
  const name = user ?? trans.__('somebody');
  return mine ? trans.__('%1 (you)', name) : name;
}

/** `for 12 min · ends in 4 h` */
function times({ since, ends_at, counts }: SlotHolder, trans: TranslationBundle): string {
  return [
    since === null ? null : trans.__('for %1', spanOf(since, -1)),
    ends_at === null ? null : trans.__('ends in %1', spanOf(ends_at, 1)),
    counts ? null : trans.__('above the limit')
  ]
    .filter(part => part !== null)
    .join(' · ');
}
