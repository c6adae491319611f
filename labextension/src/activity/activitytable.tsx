import { clock } from '../charts/ticks';
import { h } from '../jsx';
import type { ActivityEntry } from '../protocol/messages';
import { trans } from '../translation';

interface IActivityTableProps {
  readonly label: string;
  readonly entries: readonly ActivityEntry[];
}

/** Entries, newest first. */
export function ActivityTable({ label, entries }: IActivityTableProps): JSX.Element {
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
