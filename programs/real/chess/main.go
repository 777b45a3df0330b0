// Chess searches positions of a game with alpha-beta and a count of material, on the moves of
// corentings/chess.
package main

import (
	"fmt"
	"os"
	"strconv"

	"github.com/corentings/chess/v2"
)

var values = map[chess.PieceType]int{chess.Pawn: 100, chess.Knight: 320, chess.Bishop: 330, chess.Rook: 500, chess.Queen: 900}

var nodes int

func evaluate(p *chess.Position) int {
	sum := 0
	for sq := chess.A1; sq <= chess.H8; sq++ {
		piece := p.Board().Piece(sq)
		if piece == chess.NoPiece {
			continue
		}
		if piece.Color() == p.Turn() {
			sum += values[piece.Type()]
		} else {
			sum -= values[piece.Type()]
		}
	}
	return sum
}

func search(p *chess.Position, depth, alpha, beta int) int {
	nodes++
	if depth == 0 {
		return evaluate(p)
	}
	moves := p.ValidMoves()
	if len(moves) == 0 {
		return -10000
	}
	for i := range moves {
		if v := -search(p.Update(&moves[i]), depth-1, -beta, -alpha); v > alpha {
			alpha = v
			if alpha >= beta {
				break
			}
		}
	}
	return alpha
}

func main() {
	n, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	p := chess.StartingPosition()
	for range n {
		moves := p.ValidMoves()
		best, at := -1<<30, 0
		for i := range moves {
			if v := -search(p.Update(&moves[i]), 3, -1<<30, -best); v > best {
				best, at = v, i
			}
		}
		fmt.Println(moves[at].String(), best, nodes)
		p = p.Update(&moves[at])
	}
}
