import { Ticking } from '../panel/asking';
import type { More, NodeModel, SharedDevice, SlotHolder } from '../protocol/messages';
import { formatDuration } from '../gauges/units';
import { trans } from '../translation';
import { Fragment, h } from '../jsx';

interface IHoldersProps {
  readonly device: SharedDevice | undefined;
  /** What an instructor may do with a learner's clusters. */
  readonly tools: (user: string) => JSX.Element | null;
}

/** Who has a GPU or slots of it, since when, and until when at most. */
export function Holders({ device, tools }: IHoldersProps): JSX.Element | null {
  if (device === undefined || (device.holders.length === 0 && !device.reserved)) {
    return null;
  }
  const free = device.free ?? 0;
  return (
    <ul className="gpc-Holders" aria-label={trans.__('Users of GPU %1', device.index ?? '')}>
      {device.reserved && <li>{trans.__('reserved')}</li>}
      {device.holders.map((holder, i) => (
        <li key={i} className={holder.mine ? 'gpc-mod-mine' : ''}>
          <span className="gpc-Holder-who">{whoOf(holder)}</span>
          {device.slots !== null && (
            <span>
              {holder.slot === null
                ? trans.__('one of %1 slots', device.slots)
                : trans.__('slot %1 of %2', holder.slot, device.slots)}
            </span>
          )}
          {holder.beyond && <span>{trans.__('also claimed, shared')}</span>}
          {!holder.mine && holder.user !== null && tools(holder.user)}
          <span className="gpc-Holder-times">
            <Ticking milliseconds={5000} text={() => times(holder)} />
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
export function Line({ node }: { readonly node: NodeModel }): JSX.Element | null {
  if (node.line.length === 0) {
    return null;
  }
  return (
    <>
      <h3 className="gpc-Node-title">{trans.__('In queue')}</h3>
      <ol className="gpc-Holders" aria-label={trans.__('In queue')}>
        {node.line.map((place, i) => (
          <li key={i} className={place.mine ? 'gpc-mod-mine' : ''}>
            <span className="gpc-Holder-who">{`${i + 1}. ${whoOf(place)}`}</span>
            <span>
              {place.certain
                ? trans._n('%1 specific GPU', '%1 specific GPUs', place.gpus)
                : trans._n('%1 GPU', '%1 GPUs', place.gpus)}
            </span>
            <span className="gpc-Holder-times">
              <Ticking
                milliseconds={5000}
                text={() =>
                  place.since === null ? '' : trans.__('for %1', spanOf(place.since, -1))
                }
              />
            </span>
          </li>
        ))}
      </ol>
    </>
  );
}

/** What is not listed one by one, a line for each user: no user fills the list. */
export function MoreHeld({ node }: { readonly node: NodeModel }): JSX.Element | null {
  if (node.more.length === 0) {
    return null;
  }
  return (
    <ul className="gpc-Holders" aria-label={trans.__('Not listed')}>
      {node.more.map((more, i) => (
        <li key={i} className={more.mine ? 'gpc-mod-mine' : ''}>
          <span className="gpc-Holder-who">{whoOf(more)}</span>
          <span>{besides(more)}</span>
        </li>
      ))}
    </ul>
  );
}

/** `3 claims above the limit, which are ignored · 98 more places in the queue` */
function besides({ above, claims, places }: More): string {
  const ignored = trans._n(
    '%1 claim above the limit, which is ignored',
    '%1 claims above the limit, which are ignored',
    above
  );
  return [
    above === 0 ? null : ignored,
    claims === 0 ? null : trans._n('%1 more claim', '%1 more claims', claims),
    places === 0
      ? null
      : trans._n('%1 more place in the queue', '%1 more places in the queue', places)
  ]
    .filter(Boolean)
    .join(' · ');
}

function whoOf({ user, mine }: Pick<SlotHolder, 'user' | 'mine'>): string {
  const name = user ?? trans.__('another user');
  return mine ? trans.__('%1 (you)', name) : name;
}

/** `for 12 min · ends in 4 h` */
function times({ since, ends_at }: SlotHolder): string {
  return [
    since === null ? null : trans.__('for %1', spanOf(since, -1)),
    ends_at === null ? null : trans.__('ends in %1', spanOf(ends_at, 1))
  ]
    .filter(Boolean)
    .join(' · ');
}

/** How long ago a time was (-1), or in how long it will be (1). */
export function spanOf(time: string, direction: 1 | -1): string {
  return formatDuration(Math.max(0, (direction * (Date.parse(time) - Date.now())) / 1000));
}
