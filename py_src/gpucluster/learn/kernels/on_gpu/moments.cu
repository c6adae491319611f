// Sums and products of the columns of a block, relative to a shift: each row is read from the GPU's memory once.
//
// Tensor cores multiply. Columns are taken in tiles of eight, and of each pair of tiles a warp adds up all products. It
// takes a few rows at a time, each thread the values that its tensor core wants from it: of each tile, thread 4 g + t the
// g-th column of row t, and of row t + 4 where eight rows are multiplied at once. As rows are multiplied with themselves,
// that is what both factors need, and no thread asks another one. Which columns make a tile is free: such that a thread
// reads neighbouring ones at once. While it multiplies some rows, the next ones are under way to shared memory.
//
// double: as they are. float: "3xTF32" (see device.cuh), whose sums begin at zero every eight rows; what they have found is
// added up as usual, and after FLUSH turns in double.
//
// No atomic operations: the same rows give the same sums bit by bit.
//
// Given when it is compiled: REAL (of the rows) and WORK (of products, not the smaller one), float or double, REAL_BYTES
// and WORK_BYTES, COLUMNS, STEP (columns that are read at once), TILES (a multiple of STEP), AHEAD (turns that are under
// way), WEIGHTED (0 or 1), THREADS.

#define EACH TILES  // columns that a thread has of each of its rows
#define WARPS (THREADS / 32)
#define PADDED (TILES * 8)
#define DEPTH (WORK_BYTES == 4 ? 2 : 1)   // rows that a thread has in a multiplication
#define HEIGHT (WORK_BYTES == 4 ? 2 : 1)  // tiles on its left
#define PARTS (2 * HEIGHT)                // products that a thread has of it
#define ROWS (4 * DEPTH)                  // of a warp's turn
#define LEFTS ((TILES + HEIGHT - 1) / HEIGHT)
#define PAIRS (LEFTS * TILES - HEIGHT * (LEFTS - 1) * LEFTS / 2)  // of what is on the left with a tile not before it
#define SUMS (PAIRS * PARTS + EACH)                               // that a thread has
#define FLUSH 32

struct __align__(STEP * REAL_BYTES) Given {
    REAL value[STEP];
};

// The place of a thread among those that multiply together.
__device__ inline int of_column() { return threadIdx.x % 32 / 4; }
__device__ inline int of_row() { return threadIdx.x % 4; }

// Which column of the table is the g-th of a tile.
__device__ inline int column_of(int tile, int g) { return (tile / STEP * 8 + g) * STEP + tile % STEP; }

// Begins to fetch this thread's values of a turn's rows; where there are none, they are those of the shift.
__device__ inline void fetch(Given* to, const REAL* X, long long first, long long n_rows, const REAL* shift) {
#pragma unroll
    for (int r = 0; r < DEPTH; ++r)
#pragma unroll
        for (int tile = 0; tile < EACH; tile += STEP, to += THREADS) {
            const long long row = first + r * 4 + of_row();
            const int column = column_of(tile, of_column());
            if (row < n_rows && column < COLUMNS)
                copy_begins<sizeof(Given)>(to, X + row * COLUMNS + column);
            else
#pragma unroll
                for (int i = 0; i < STEP; ++i) to->value[i] = shift[tile + i];
        }
    copies_begun();
}

#if WORK_BYTES == 4
// Adds up the products of a turn's rows.
__device__ inline void add_products(float (*products)[PARTS], const float (*left)[EACH], const float (*right)[EACH]) {
    float large[2][DEPTH][EACH], small[2][DEPTH][EACH];
#pragma unroll
    for (int r = 0; r < DEPTH; ++r)
#pragma unroll
        for (int c = 0; c < EACH; ++c) {
            large[0][r][c] = rounded(left[r][c]);
            small[0][r][c] = left[r][c] - large[0][r][c];
            large[1][r][c] = rounded(right[r][c]);
            small[1][r][c] = right[r][c] - large[1][r][c];
        }
    int pair = 0;
#pragma unroll
    for (int a = 0; a < TILES; a += HEIGHT)
#pragma unroll
        for (int b = a; b < TILES; ++b, ++pair) {
            const int beside = a + 1 < TILES ? a + 1 : a;  // of an odd number of tiles, the last one twice
            const float ll[4] = {large[0][0][a], large[0][0][beside], large[0][1][a], large[0][1][beside]};
            const float ls[4] = {small[0][0][a], small[0][0][beside], small[0][1][a], small[0][1][beside]};
            const float rl[2] = {large[1][0][b], large[1][1][b]}, rs[2] = {small[1][0][b], small[1][1][b]};
            float found[PARTS] = {};
            multiply(found, ls, rl);
            multiply(found, ll, rs);
            multiply(found, ll, rl);
#pragma unroll
            for (int p = 0; p < PARTS; ++p) products[pair][p] += found[p];
        }
}
#else
__device__ inline void add_products(double (*products)[PARTS], const double (*left)[EACH], const double (*right)[EACH]) {
    int pair = 0;
#pragma unroll
    for (int a = 0; a < TILES; ++a)
#pragma unroll
        for (int b = a; b < TILES; ++b, ++pair) multiply(products[pair], left[0] + a, right[0] + b);
}
#endif

// Adds what was found so far to the sums in double, and begins anew.
__device__ inline void flush(WORK (*products)[PARTS], WORK* sums, volatile double* exact) {
#pragma unroll
    for (int i = 0; i < SUMS; ++i) {
        WORK& found = i < PAIRS * PARTS ? products[i / PARTS][i % PARTS] : sums[i - PAIRS * PARTS];
        exact[i * THREADS] += (double)found;
        found = 0;
    }
}

// Shared memory: for each thread, its sums in double (SUMS x THREADS) and the values under way (AHEAD x DEPTH x EACH).
extern "C" __global__ void __launch_bounds__(THREADS) moments(
    const REAL* __restrict__ X,        // n_rows x COLUMNS
    const REAL* __restrict__ weights,  // n_rows; null unless WEIGHTED
    const REAL* __restrict__ shift,    // COLUMNS
    const long long n_rows,
    double* __restrict__ found) {  // blocks of threads x (PADDED sums, then PADDED x PADDED products)
    extern __shared__ __align__(16) unsigned char memory[];
    volatile double* const exact = (double*)memory + threadIdx.x;
    Given* const under_way = (Given*)((double*)memory + SUMS * THREADS) + threadIdx.x;
    const int turn = DEPTH * EACH / STEP * THREADS;

    REAL shift_here[EACH];
    WORK products[PAIRS][PARTS] = {}, sums[EACH] = {};
#pragma unroll
    for (int c = 0; c < EACH; ++c) {
        const int column = column_of(c, of_column());
        shift_here[c] = column < COLUMNS ? shift[column] : (REAL)0;
    }
    for (int i = 0; i < SUMS; ++i) exact[i * THREADS] = 0;

    const long long stride = (long long)gridDim.x * WARPS * ROWS;
    long long first = ((long long)blockIdx.x * WARPS + threadIdx.x / 32) * ROWS;
    for (int i = 0; i < AHEAD; ++i) fetch(under_way + i * turn, X, first + i * stride, n_rows, shift_here);
    int since = 0;
    for (int at = 0; first < n_rows; first += stride, at = at + 1 < AHEAD ? at + 1 : 0) {
        copies_end<AHEAD - 1>();
        WORK left[DEPTH][EACH], right[DEPTH][EACH];
#pragma unroll
        for (int r = 0; r < DEPTH; ++r) {
            const long long row = first + r * 4 + of_row();
            const WORK weight = WEIGHTED && row < n_rows ? (WORK)weights[row] : (WORK)0;
#pragma unroll
            for (int tile = 0; tile < EACH; tile += STEP) {
                const Given given = under_way[at * turn + (r * EACH + tile) / STEP * THREADS];
#pragma unroll
                for (int i = 0; i < STEP; ++i) {
                    const int c = tile + i;
                    right[r][c] = (WORK)given.value[i] - (WORK)shift_here[c];
                    left[r][c] = WEIGHTED ? weight * right[r][c] : right[r][c];
                    sums[c] += left[r][c];
                }
            }
        }
        fetch(under_way + at * turn, X, first + AHEAD * stride, n_rows, shift_here);
        add_products(products, left, right);
        if (WORK_BYTES == 4 && ++since == FLUSH) {
            since = 0;
            flush(products, sums, exact);
        }
    }
    flush(products, sums, exact);
    __syncthreads();

    // What all warps have found of a pair of columns, in both of its places; then of each column.
    const double* const all = (const double*)memory;
    double* const sums_of_all = found + blockIdx.x * (long long)PADDED * (PADDED + 1);
    double* const products_of_all = sums_of_all + PADDED;
    for (int i = threadIdx.x; i < PAIRS * PARTS * 32; i += THREADS) {
        const int thread = i % 32, part = i / 32 % PARTS;
        int a = 0, b = i / 32 / PARTS;
        for (; b >= TILES - a; a += HEIGHT) b -= TILES - a;
        b += a;
        a += part / 2;
        const int of_a = thread / 4, of_b = thread % 4 * 2 + part % 2;
        if (a > b || (a == b && of_a > of_b)) continue;  // it is there once more
        double total = 0;
        for (int warp = 0; warp < WARPS; ++warp) total += all[i / 32 * THREADS + warp * 32 + thread];
        products_of_all[column_of(a, of_a) * PADDED + column_of(b, of_b)] = total;
        products_of_all[column_of(b, of_b) * PADDED + column_of(a, of_a)] = total;
    }
    for (int i = threadIdx.x; i < PADDED; i += THREADS) {
        double total = 0;
        for (int thread = 0; thread < THREADS; ++thread)
            if (thread % 32 / 4 == i % 8) total += all[(PAIRS * PARTS + i / 8) * THREADS + thread];
        sums_of_all[column_of(i / 8, i % 8)] = total;
    }
}
