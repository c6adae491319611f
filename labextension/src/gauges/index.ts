export * from './bar';
export * from './clusterbars';
export * from './columns';
export * from './levels';
export * from './units';
