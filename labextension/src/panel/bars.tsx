import { Bar, type IBar } from '../gauges';
import { h, useEffect, useRef } from '../jsx';

/** A list of bars, drawn by the gauges of any face. */
export function Bars({ bars }: { readonly bars: readonly IBar[] }): JSX.Element | null {
  return bars.length === 0 ? null : (
    <div className="gpc-Bars">
      {bars.map(bar => (
        <OneBar key={bar.label} bar={bar} />
      ))}
    </div>
  );
}

function OneBar({ bar }: { readonly bar: IBar }): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  const drawn = useRef<Bar | null>(null);
  useEffect(() => {
    if (drawn.current === null) {
      drawn.current = new Bar();
      host.current?.append(drawn.current.node);
    }
    drawn.current.update(bar);
  });
  return <div ref={host} />;
}
