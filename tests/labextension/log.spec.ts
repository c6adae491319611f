import { levelOf, newLines, occurrences, LogText } from '../../labextension/src/log/logtext';

const shown = (text: LogText): string[] =>
  Array.from(text.node.children).map(line => line.textContent ?? '');

beforeAll(() => {
  Element.prototype.scrollIntoView = () => undefined;
});

describe('levels', () => {
  it('are read off the beginning of a line', () => {
    const at = '2026-01-01 10:00:00,000';
    expect(levelOf(`${at} - distributed.worker - WARNING - x`)).toBe('warning');
    expect(levelOf(`${at} CRITICAL gpucluster  x`)).toBe('error');
    expect(levelOf('Traceback (most recent call last):')).toBe('error');
    expect(levelOf('  File "x.py", line 1')).toBeNull();
    expect(levelOf(`${'x'.repeat(100)} ERROR`)).toBeNull();
  });

  it('hold for the lines that follow without one', () => {
    const text = new LogText('Log');
    text.take(['t ERROR boom', '  File "x.py"', 't INFO on']);
    const levels = Array.from(text.node.children, line => (line as HTMLElement).dataset.level);
    expect(levels).toEqual(['error', 'error', 'info']);
  });
});

describe('new lines', () => {
  it('are those after the end that is known', () => {
    expect(newLines([], ['a'])).toEqual(['a']);
    expect(newLines(['a', 'b'], ['a', 'b'])).toEqual([]);
    expect(newLines(['a', 'b'], ['b', 'c', 'd'])).toEqual(['c', 'd']);
    expect(newLines(['x', 'b'], ['b', 'b', 'b'])).toEqual(['b', 'b']);
  });

  it('cannot be told when something is missing between', () => {
    expect(newLines(['a'], ['c', 'd'])).toBeNull();
    expect(newLines(['a', 'half'], ['half a line'])).toBeNull();
  });

  it('are added behind the old ones, which stay as they are', () => {
    const text = new LogText('Log');
    expect(text.take(['a', 'b'])).toBe(true);
    const first = text.node.firstElementChild;
    expect(text.take(['b', 'c'])).toBe(true);
    expect(shown(text)).toEqual(['a', 'b', 'c']);
    expect(text.node.firstElementChild).toBe(first);
    expect(text.take(['x'])).toBe(false);
    text.replace(['x']);
    expect(shown(text)).toEqual(['x']);
  });
});

describe('search', () => {
  it('finds whatever the case of the letters', () => {
    expect(occurrences('Worker worker WORK', 'work')).toEqual([0, 7, 14]);
    expect(occurrences('aaa', 'aa')).toEqual([0]);
    expect(occurrences('a', '')).toEqual([]);
  });

  it('counts, marks and steps round', () => {
    const text = new LogText('Log');
    text.take(['one two', 'three', 'two two']);
    text.search('TWO');
    expect([text.nMatches, text.current]).toEqual([3, 0]);
    expect(text.node.querySelectorAll('mark')).toHaveLength(3);
    text.step(-1);
    expect(text.current).toBe(3);
    text.step(1);
    expect(text.current).toBe(1);
    expect(text.node.querySelectorAll('.gpc-mod-current')).toHaveLength(1);
    expect(shown(text)).toEqual(['one two', 'three', 'two two']);
  });

  it('finds in lines that arrive later', () => {
    const text = new LogText('Log');
    text.take(['one']);
    text.search('two');
    text.take(['one', 'two']);
    expect(text.nMatches).toBe(1);
    text.isFiltered = true;
    expect(text.node.classList).toContain('gpc-mod-filtered');
    expect(text.node.querySelectorAll('[data-found]')).toHaveLength(1);
  });

  it('leaves nothing behind when it ends', () => {
    const text = new LogText('Log');
    text.take(['one <b>two</b>']);
    text.search('two');
    text.search('');
    expect(text.node.querySelectorAll('mark, b, [data-found]')).toHaveLength(0);
    expect(text.nMatches).toBe(0);
  });
});
