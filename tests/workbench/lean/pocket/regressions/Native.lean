prelude
import Pocket
set_option autoImplicit false
/-! A core function with the name of one of Lean's own runs Lean's native code under `#guard`, and the definition
of the core in the kernel. Both have to agree on argument order, representation and result. -/
def vowel (c : Char) : Nat := match c with | 'a' => 1 | 'é' => 2 | _ => 3
#guard 'é'.toNat = 233
#guard "é→𝕏".length = 3
#guard "é→𝕏".toList.map Char.toNat = [233, 8594, 120143]
#guard Char.ofNat 233 = 'é'
#guard "é".utf8ByteSize = 2
#guard ("é" ++ "x").push 'ß' = "éxß"
#guard "aé".all (fun c => c.toNat < 300)
#guard vowel 'é' = 2
#guard ["b", "a"].mergeSort (fun a b => decide (a < b)) = ["a", "b"]
example : "é→𝕏".toList.map Char.toNat = [233, 8594, 120143] := by decide
#guard ['a', 'é'].any (· == 'é')
#guard ("héllo".toList.map fun c => if c.isAlpha then c else '?') = ['h', '?', 'l', 'l', 'o']
#guard [1,2,3].any (· == 2)
#guard [1,2,3].all (· < 4)
#guard [1,2,3].head? = some 1
#guard [1,2,3].headD 9 = 1
#guard ([] : List Nat).headD 9 = 9
#guard [1,2,3].tail = [2,3]
#guard [1,2,3].tail! = [2,3]
#guard [1,2,3].tail? = some [2,3]
#guard ([] : List Nat).tailD [7] = [7]
#guard [1,2,3].getLast? = some 3
#guard [1,2,3].getLastD 9 = 3
#guard [1,2,3].getLast! = 3
#guard [1,2,3].head! = 1
#guard [1,2,3].dropLast = [1,2]
#guard [1,2,3].getD 1 0 = 2
#guard [1,2,3].getD 5 0 = 0
#guard [1,2,3][1]? = some 2
#guard [1,2,3][1]! = 2
#guard [1,2,3].get ⟨1, by decide⟩ = 2
#guard [1,2,3].set 1 9 = [1,9,3]
#guard [1,2,3].map (· + 1) = [2,3,4]
#guard [1,2,3].filter (· ≠ 2) = [1,3]
#guard [1,2,3].filterMap (fun x => if x = 2 then none else some (x * 2)) = [2,6]
#guard [1,2,3].foldl (fun a x => 10 * a + x) 0 = 123
#guard [1,2,3].foldr (fun x a => 10 * a + x) 0 = 321
#guard [1,2,3].reverse = [3,2,1]
#guard [1,2,3] ++ [4] = [1,2,3,4]
#guard [[1],[2,3]].flatten = [1,2,3]
#guard [1,2].flatMap (fun x => [x, x]) = [1,1,2,2]
#guard [1,2,3].find? (· > 1) = some 2
#guard [1,2,3].findIdx? (· > 1) = some 1
#guard [1,2,3].findIdx (· > 1) = 1
#guard [1,2,3].findSome? (fun x => if x = 2 then some (x * 5) else none) = some 10
#guard [1,2,3].take 2 = [1,2]
#guard [1,2,3].drop 2 = [3]
#guard [1,2,3].takeWhile (· < 2) = [1]
#guard [1,2,3].dropWhile (· < 2) = [2,3]
#guard [1,2,3].span (· < 2) = ([1],[2,3])
#guard [1,2,3].splitAt 1 = ([1],[2,3])
#guard [1,2,3].partition (· < 2) = ([1],[2,3])
#guard [1,2].zip [3,4] = [(1,3),(2,4)]
#guard [1,2].zipWith (· + ·) [3,4] = [4,6]
#guard List.zipWith (· + ·) [1,2] [3,4] = [4,6]
#guard List.zipWithAll (fun a b => a.getD 0 + b.getD 0) [1,2] [3] = [4,2]
#guard [(1,3),(2,4)].unzip = ([1,2],[3,4])
#guard List.replicate 3 7 = [7,7,7]
#guard List.range 3 = [0,1,2]
#guard List.range' 2 3 = [2,3,4]
#guard [1,2,3].sum = 6
#guard ([1,2,3] : List Int).sum = 6
#guard [2,3].prod = 6
#guard [1,2,1].count 1 = 2
#guard [1,2,3].countP (· > 1) = 2
#guard [1,2,3].elem 2
#guard [1,2,3].contains 2
#guard 2 ∈ [1,2,3]
#guard [1,2,1].erase 1 = [2,1]
#guard [1,2].insert 3 = [3,1,2]
#guard [1,2,1].eraseDups = [1,2]
#guard [(1,2),(3,4)].lookup 3 = some 4
#guard [1,2,3].isEmpty = false
#guard [1,2,3].length = 3
#guard [1,2,3].concat 4 = [1,2,3,4]
#guard List.singleton 1 = [1]
#guard [1,2,3].idxOf 2 = 1
#guard [1,2,3].idxOf? 2 = some 1
#guard [1,2,3].removeAll [2] = [1,3]
#guard [1,2,3].eraseIdx 1 = [1,3]
#guard [1,2,3].eraseP (· > 1) = [1,3]
#guard [1,2,3].insertIdx 1 9 = [1,9,2,3]
#guard [1,2,3].modify 1 (· * 10) = [1,20,3]
#guard [1,2,3].replace 2 9 = [1,9,3]
#guard [1,2].zipIdx = [(1,0),(2,1)]
#guard [1,2].mapIdx (fun i x => i + x) = [1,3]
#guard [1,2,3].rotateLeft 1 = [2,3,1]
#guard [1,2,3].rotateRight 1 = [3,1,2]
#guard [1,2,3].intersperse 0 = [1,0,2,0,3]
#guard [3,1,2].min? = some 1
#guard [3,1,2].max? = some 3
#guard [true,false].and = false
#guard [true,false].or = true
#guard [1,2].isPrefixOf [1,2,3]
#guard [2,3].isSuffixOf [1,2,3]
#guard [1,3].isSublist [1,2,3]
#guard [1,2].isPerm [2,1]
#guard [1,2,3].partitionMap (fun x => if x = 2 then Sum.inl x else Sum.inr x) = ([2],[1,3])
#guard [3,1,2].mergeSort (fun a b => decide (a ≤ b)) = [1,2,3]
#guard List.merge [1,3] [2] (fun a b => decide (a ≤ b)) = [1,2,3]
#guard List.ofFn (fun i : Fin 3 => i.val * 2) = [0,2,4]
#guard (List.finRange 2).map Fin.val = [0,1]
#guard ([1,2] : List Nat) < [1,3]
#guard compare 1 2 = .lt
#guard [1,2].mapM (fun x => if x > 0 then some (x * 2) else none) = some [2,4]
#guard [1,2].foldlM (fun a x => if x > 0 then some (a + x) else none) 0 = some 3
#guard [1,2].filterMapM (fun x => some (if x = 1 then some x else none)) = some [1]
#guard (some 3).map (· + 1) = some 4
#guard (some 3).bind (fun x => some (x + 1)) = some 4
#guard (some 3).getD 0 = 3
#guard (some 3).isSome
#guard (none : Option Nat).isNone
#guard (some 3).filter (· > 5) = none
#guard (some 3).any (· > 2)
#guard (some 3).all (· > 5) = false
#guard (some 3).elim 0 (· + 1) = 4
#guard (some (some 3)).join = some 3
#guard (some 3).toList = [3]
#guard (some 3).get! = 3
#guard ((some 3) <|> (some 4)) = some 3
#guard (none <|> some 4) = some 4
#guard (7 : Int) / 2 = 3
#guard (-7 : Int) / 2 = -4
#guard (-7 : Int) % 2 = 1
#guard Int.tdiv (-7) 2 = -3
#guard Int.tmod (-7) 2 = -1
#guard Int.fdiv (-7) 2 = -4
#guard Int.fmod (-7) 2 = 1
#guard Int.bmod 7 4 = -1
#guard Int.gcd (-4) 6 = 2
#guard Int.lcm 4 6 = 12
#guard Int.sign (-3) = -1
#guard (3 : Int).toNat = 3
#guard (-3 : Int).natAbs = 3
#guard Int.toNat? (-3) = none
#guard (-3 : Int) ^ 3 = -27
#guard (-8 : Int) >>> 1 = -4
#guard (3 : Int) <<< 2 = 12
#guard min (3 : Int) 2 = 2
#guard max (3 : Int) 2 = 3
#guard (3 : Int) ≤ 4
#guard ((3 : Nat) : Int) = 3
#guard Nat.gcd 4 6 = 2
#guard Nat.lcm 4 6 = 12
#guard Nat.log2 9 = 3
#guard Nat.testBit 5 2
#guard 5 &&& 4 = 4
#guard 5 ||| 2 = 7
#guard 5 ^^^ 1 = 4
#guard 1 <<< 4 = 16
#guard 16 >>> 2 = 4
#guard min 3 2 = 2
#guard max 3 2 = 3
#guard 3 ∣ 6
#guard Nat.repeat (· + 2) 3 0 = 6
#guard Nat.fold 3 (fun i _ a => a + i) 0 = 3
#guard (Except.ok 3 : Except String Nat).toOption = some 3
#guard (Except.ok 3 : Except String Nat).map (· + 1) |>.toOption |> (· = some 4)
#guard ((Except.ok 3 : Except String Nat).bind fun x => Except.ok (x + 1)).toOption = some 4
#guard ((Except.error "e" : Except String Nat).tryCatch fun _ => Except.ok 1).toOption = some 1
#guard (Except.ok 3 : Except String Nat).isOk
#guard (Except.ok 3 : Except String Nat).toBool
#guard ((Except.error 3 : Except Nat Nat).mapError (· + 1)).toOption = none
#guard "abc".length = 3
#guard "abc" ++ "d" = "abcd"
#guard "abc" = "abc"
#guard "abc".isEmpty = false
#guard "abc".toList = ['a','b','c']
#guard String.ofList ['a','b'] = "ab"
#guard "abc".push 'd' = "abcd"
#guard "abc".startsWith "ab"
#guard "abc".endsWith "bc"
#guard "abc".any (· == 'b')
#guard "abc".all (· == 'b') = false
#guard "abc".contains 'b'
#guard "abc".front = 'a'
#guard "abc".back = 'c'
#guard "abc".map (fun _ => 'x') = "xxx"
#guard "abc".foldl (fun n _ => n + 1) 0 = 3
#guard "Abc".toUpper = "ABC"
#guard "Abc".toLower = "abc"
#guard "a,b".splitOn "," = ["a","b"]
#guard String.join ["a","b"] = "ab"
#guard String.intercalate "," ["a","b"] = "a,b"
#guard String.singleton 'a' = "a"
#guard "12".toNat? = some 12
#guard "12".toNat! = 12
#guard "-12".toInt? = some (-12)
#guard "12".isNat
#guard "-1".isInt
#guard "abc".utf8ByteSize = 3
#guard "a" < "b"
#guard toString 12 = "12"
#guard toString (-12 : Int) = "-12"
#guard toString true = "true"
#guard toString 'a' = "a"
#guard toString "a" = "a"
#guard 'a'.toNat = 97
#guard 'a'.isAlpha
#guard '1'.isDigit
#guard ' '.isWhitespace
#guard 'a'.isLower
#guard 'A'.isUpper
#guard 'a'.isAlphanum
#guard 'a'.toUpper = 'A'
#guard 'A'.toLower = 'a'
#guard 'a' = 'a'
#guard 'a' < 'b'
#guard #[1,2,3].size = 3
#guard #[1,2,3].toList = [1,2,3]
#guard (#[1,2].push 3).toList = [1,2,3]
#guard (#[1,2].pop).toList = [1]
#guard #[1,2][1]? = some 2
#guard #[1,2][1]! = 2
#guard #[1,2].getD 5 0 = 0
#guard (#[1,2].map (· + 1)).toList = [2,3]
#guard (#[1,2].filter (· > 1)).toList = [2]
#guard #[1,2].foldl (· + ·) 0 = 3
#guard #[1,2].foldr (· + ·) 0 = 3
#guard #[1,2].any (· > 1)
#guard #[1,2].all (· > 1) = false
#guard #[1,2].contains 2
#guard (#[1,2].reverse).toList = [2,1]
#guard (#[1,2] ++ #[3]).toList = [1,2,3]
#guard (Array.range 3).toList = [0,1,2]
#guard (Array.replicate 2 7).toList = [7,7]
#guard #[1,2].isEmpty = false
#guard #[1,2].back? = some 2
#guard (#[1,2].set! 0 9).toList = [9,2]
#guard (#[1,2].mapIdx (fun i x => i + x)).toList = [1,3]
#guard (#[1,2].zip #[3,4]).toList = [(1,3),(2,4)]
#guard (Array.ofFn (fun i : Fin 2 => i.val)).toList = [0,1]
#guard #[1,2] = #[1,2]
#guard (3 : UInt8) + 254 = 1
#guard (3 : UInt8).toNat = 3
#guard (3 : UInt32) * 2 = 6
#guard (3 : UInt64) - 4 = 18446744073709551615
#guard (300 : Nat).toUInt8 = 44
#guard (1 : UInt64) <<< 3 = 8
#guard (5 : UInt64) &&& 4 = 4
#guard (7 : UInt64) / 2 = 3
#guard (7 : UInt16) % 4 = 3
#guard (3 : UInt8) < 4
#guard (3 : UInt8).toUInt64 = 3
#guard (5 : BitVec 4) + 12 = 1
#guard (5 : BitVec 4).toNat = 5
#guard (Fin.ofNat 5 7).val = 2
#guard (3 : Fin 5) + 4 = 2
#guard (Prod.swap (1, 2)) = (2, 1)
#guard (Prod.map (· + 1) (· + 2) (1, 2)) = (2, 4)
#guard (Std.HashMap.ofList [(1,2)]).get? 1 = some 2
#guard ((Std.HashMap.emptyWithCapacity : Std.HashMap Nat Nat).insert 1 2).size = 1
#guard (Std.HashMap.ofList [(1,2)]).contains 1
#guard (Std.HashMap.ofList [(1,2)]).getD 5 0 = 0
#guard ((Std.HashMap.ofList [(1,2),(3,4)]).erase 1).toList = [(3,4)]
#guard (Std.HashSet.ofList [1,2]).contains 2
#guard ((Std.HashSet.ofList [1,2]).insert 3).size = 3
#guard Ordering.swap .lt = .gt
#guard Ordering.isLE .lt
#guard (compare 1 2).isLT
#guard (if 3 < 4 then 1 else 2) = 1
#guard (decide (3 < 4)) = true
#guard (bif true then 1 else 2) = 1
#guard flip (· - ·) 1 3 = 2
#guard (3 == 3) = true
#guard ((1, 2) == (1, 2)) = true
#guard (some 3 == some 3) = true
#guard ([1] == [1]) = true
example : [1,2,3].any (· == 2) := by decide
example : [1,2,3].all (· < 4) := by decide
example : [1,2,3].head? = some 1 := by decide
example : [1,2,3].headD 9 = 1 := by decide
example : ([] : List Nat).headD 9 = 9 := by decide
example : [1,2,3].tail = [2,3] := by decide
example : [1,2,3].tail! = [2,3] := by decide
example : [1,2,3].tail? = some [2,3] := by decide
example : ([] : List Nat).tailD [7] = [7] := by decide
example : [1,2,3].getLast? = some 3 := by decide
example : [1,2,3].getLastD 9 = 3 := by decide
example : [1,2,3].getLast! = 3 := by decide
example : [1,2,3].head! = 1 := by decide
example : [1,2,3].dropLast = [1,2] := by decide
example : [1,2,3].getD 1 0 = 2 := by decide
example : [1,2,3].getD 5 0 = 0 := by decide
example : [1,2,3][1]? = some 2 := by decide
example : [1,2,3][1]! = 2 := by decide
example : [1,2,3].get ⟨1, by decide⟩ = 2 := by decide
example : [1,2,3].set 1 9 = [1,9,3] := by decide
example : [1,2,3].map (· + 1) = [2,3,4] := by decide
example : [1,2,3].filter (· ≠ 2) = [1,3] := by decide
example : [1,2,3].filterMap (fun x => if x = 2 then none else some (x * 2)) = [2,6] := by decide
example : [1,2,3].foldl (fun a x => 10 * a + x) 0 = 123 := by decide
example : [1,2,3].foldr (fun x a => 10 * a + x) 0 = 321 := by decide
example : [1,2,3].reverse = [3,2,1] := by decide
example : [1,2,3] ++ [4] = [1,2,3,4] := by decide
example : [[1],[2,3]].flatten = [1,2,3] := by decide
example : [1,2].flatMap (fun x => [x, x]) = [1,1,2,2] := by decide
example : [1,2,3].find? (· > 1) = some 2 := by decide
example : [1,2,3].findIdx? (· > 1) = some 1 := by decide
example : [1,2,3].findIdx (· > 1) = 1 := by decide
example : [1,2,3].findSome? (fun x => if x = 2 then some (x * 5) else none) = some 10 := by decide
example : [1,2,3].take 2 = [1,2] := by decide
example : [1,2,3].drop 2 = [3] := by decide
example : [1,2,3].takeWhile (· < 2) = [1] := by decide
example : [1,2,3].dropWhile (· < 2) = [2,3] := by decide
example : [1,2,3].span (· < 2) = ([1],[2,3]) := by decide
example : [1,2,3].splitAt 1 = ([1],[2,3]) := by decide
example : [1,2,3].partition (· < 2) = ([1],[2,3]) := by decide
example : [1,2].zip [3,4] = [(1,3),(2,4)] := by decide
example : [1,2].zipWith (· + ·) [3,4] = [4,6] := by decide
example : List.zipWith (· + ·) [1,2] [3,4] = [4,6] := by decide
example : List.zipWithAll (fun a b => a.getD 0 + b.getD 0) [1,2] [3] = [4,2] := by decide
example : [(1,3),(2,4)].unzip = ([1,2],[3,4]) := by decide
example : List.replicate 3 7 = [7,7,7] := by decide
example : List.range 3 = [0,1,2] := by decide
example : List.range' 2 3 = [2,3,4] := by decide
example : [1,2,3].sum = 6 := by decide
example : ([1,2,3] : List Int).sum = 6 := by decide
example : [2,3].prod = 6 := by decide
example : [1,2,1].count 1 = 2 := by decide
example : [1,2,3].countP (· > 1) = 2 := by decide
example : [1,2,3].elem 2 := by decide
example : [1,2,3].contains 2 := by decide
example : 2 ∈ [1,2,3] := by decide
example : [1,2,1].erase 1 = [2,1] := by decide
example : [1,2].insert 3 = [3,1,2] := by decide
example : [1,2,1].eraseDups = [1,2] := by decide
example : [(1,2),(3,4)].lookup 3 = some 4 := by decide
example : [1,2,3].isEmpty = false := by decide
example : [1,2,3].length = 3 := by decide
example : [1,2,3].concat 4 = [1,2,3,4] := by decide
example : List.singleton 1 = [1] := by decide
example : [1,2,3].idxOf 2 = 1 := by decide
example : [1,2,3].idxOf? 2 = some 1 := by decide
example : [1,2,3].removeAll [2] = [1,3] := by decide
example : [1,2,3].eraseIdx 1 = [1,3] := by decide
example : [1,2,3].eraseP (· > 1) = [1,3] := by decide
example : [1,2,3].insertIdx 1 9 = [1,9,2,3] := by decide
example : [1,2,3].modify 1 (· * 10) = [1,20,3] := by decide
example : [1,2,3].replace 2 9 = [1,9,3] := by decide
example : [1,2].zipIdx = [(1,0),(2,1)] := by decide
example : [1,2].mapIdx (fun i x => i + x) = [1,3] := by decide
example : [1,2,3].rotateLeft 1 = [2,3,1] := by decide
example : [1,2,3].rotateRight 1 = [3,1,2] := by decide
example : [1,2,3].intersperse 0 = [1,0,2,0,3] := by decide
example : [3,1,2].min? = some 1 := by decide
example : [3,1,2].max? = some 3 := by decide
example : [true,false].and = false := by decide
example : [true,false].or = true := by decide
example : [1,2].isPrefixOf [1,2,3] := by decide
example : [2,3].isSuffixOf [1,2,3] := by decide
example : [1,3].isSublist [1,2,3] := by decide
example : [1,2].isPerm [2,1] := by decide
example : [1,2,3].partitionMap (fun x => if x = 2 then Sum.inl x else Sum.inr x) = ([2],[1,3]) := by decide
example : [3,1,2].mergeSort (fun a b => decide (a ≤ b)) = [1,2,3] := by decide
example : List.merge [1,3] [2] (fun a b => decide (a ≤ b)) = [1,2,3] := by decide
example : List.ofFn (fun i : Fin 3 => i.val * 2) = [0,2,4] := by decide
example : (List.finRange 2).map Fin.val = [0,1] := by decide
example : ([1,2] : List Nat) < [1,3] := by decide
example : compare 1 2 = .lt := by decide
example : [1,2].mapM (fun x => if x > 0 then some (x * 2) else none) = some [2,4] := by decide
example : [1,2].foldlM (fun a x => if x > 0 then some (a + x) else none) 0 = some 3 := by decide
example : [1,2].filterMapM (fun x => some (if x = 1 then some x else none)) = some [1] := by decide
example : (some 3).map (· + 1) = some 4 := by decide
example : (some 3).bind (fun x => some (x + 1)) = some 4 := by decide
example : (some 3).getD 0 = 3 := by decide
example : (some 3).isSome := by decide
example : (none : Option Nat).isNone := by decide
example : (some 3).filter (· > 5) = none := by decide
example : (some 3).any (· > 2) := by decide
example : (some 3).all (· > 5) = false := by decide
example : (some 3).elim 0 (· + 1) = 4 := by decide
example : (some (some 3)).join = some 3 := by decide
example : (some 3).toList = [3] := by decide
example : (some 3).get! = 3 := by decide
example : ((some 3) <|> (some 4)) = some 3 := by decide
example : (none <|> some 4) = some 4 := by decide
example : (7 : Int) / 2 = 3 := by decide
example : (-7 : Int) / 2 = -4 := by decide
example : (-7 : Int) % 2 = 1 := by decide
example : Int.tdiv (-7) 2 = -3 := by decide
example : Int.tmod (-7) 2 = -1 := by decide
example : Int.fdiv (-7) 2 = -4 := by decide
example : Int.fmod (-7) 2 = 1 := by decide
example : Int.bmod 7 4 = -1 := by decide
example : Int.gcd (-4) 6 = 2 := by decide
example : Int.lcm 4 6 = 12 := by decide
example : Int.sign (-3) = -1 := by decide
example : (3 : Int).toNat = 3 := by decide
example : (-3 : Int).natAbs = 3 := by decide
example : Int.toNat? (-3) = none := by decide
example : (-3 : Int) ^ 3 = -27 := by decide
example : (-8 : Int) >>> 1 = -4 := by decide
example : (3 : Int) <<< 2 = 12 := by decide
example : min (3 : Int) 2 = 2 := by decide
example : max (3 : Int) 2 = 3 := by decide
example : (3 : Int) ≤ 4 := by decide
example : ((3 : Nat) : Int) = 3 := by decide
example : Nat.gcd 4 6 = 2 := by decide
example : Nat.lcm 4 6 = 12 := by decide
example : Nat.log2 9 = 3 := by decide
example : Nat.testBit 5 2 := by decide
example : 5 &&& 4 = 4 := by decide
example : 5 ||| 2 = 7 := by decide
example : 5 ^^^ 1 = 4 := by decide
example : 1 <<< 4 = 16 := by decide
example : 16 >>> 2 = 4 := by decide
example : min 3 2 = 2 := by decide
example : max 3 2 = 3 := by decide
example : 3 ∣ 6 := by decide
example : Nat.repeat (· + 2) 3 0 = 6 := by decide
example : Nat.fold 3 (fun i _ a => a + i) 0 = 3 := by decide
example : (Except.ok 3 : Except String Nat).toOption = some 3 := by decide
example : (Except.ok 3 : Except String Nat).map (· + 1) |>.toOption |> (· = some 4) := by decide
example : ((Except.ok 3 : Except String Nat).bind fun x => Except.ok (x + 1)).toOption = some 4 := by decide
example : ((Except.error "e" : Except String Nat).tryCatch fun _ => Except.ok 1).toOption = some 1 := by decide
example : (Except.ok 3 : Except String Nat).isOk := by decide
example : (Except.ok 3 : Except String Nat).toBool := by decide
example : ((Except.error 3 : Except Nat Nat).mapError (· + 1)).toOption = none := by decide
example : "abc".length = 3 := by decide
example : "abc" ++ "d" = "abcd" := by decide
example : "abc" = "abc" := by decide
example : "abc".isEmpty = false := by decide
example : "abc".toList = ['a','b','c'] := by decide
example : String.ofList ['a','b'] = "ab" := by decide
example : "abc".push 'd' = "abcd" := by decide
example : "abc".startsWith "ab" := by decide
example : "abc".endsWith "bc" := by decide
example : "abc".any (· == 'b') := by decide
example : "abc".all (· == 'b') = false := by decide
example : "abc".contains 'b' := by decide
example : "abc".front = 'a' := by decide
example : "abc".back = 'c' := by decide
example : "abc".map (fun _ => 'x') = "xxx" := by decide
example : "abc".foldl (fun n _ => n + 1) 0 = 3 := by decide
example : "Abc".toUpper = "ABC" := by decide
example : "Abc".toLower = "abc" := by decide
example : "a,b".splitOn "," = ["a","b"] := by decide
example : String.join ["a","b"] = "ab" := by decide
example : String.intercalate "," ["a","b"] = "a,b" := by decide
example : String.singleton 'a' = "a" := by decide
example : "12".toNat? = some 12 := by decide
example : "12".toNat! = 12 := by decide
example : "-12".toInt? = some (-12) := by decide
example : "12".isNat := by decide
example : "-1".isInt := by decide
example : "abc".utf8ByteSize = 3 := by decide
example : "a" < "b" := by decide
example : toString 12 = "12" := by decide
example : toString (-12 : Int) = "-12" := by decide
example : toString true = "true" := by decide
example : toString 'a' = "a" := by decide
example : toString "a" = "a" := by decide
example : 'a'.toNat = 97 := by decide
example : 'a'.isAlpha := by decide
example : '1'.isDigit := by decide
example : ' '.isWhitespace := by decide
example : 'a'.isLower := by decide
example : 'A'.isUpper := by decide
example : 'a'.isAlphanum := by decide
example : 'a'.toUpper = 'A' := by decide
example : 'A'.toLower = 'a' := by decide
example : 'a' = 'a' := by decide
example : 'a' < 'b' := by decide
example : #[1,2,3].size = 3 := by decide
example : #[1,2,3].toList = [1,2,3] := by decide
example : (#[1,2].push 3).toList = [1,2,3] := by decide
example : (#[1,2].pop).toList = [1] := by decide
example : #[1,2][1]? = some 2 := by decide
example : #[1,2][1]! = 2 := by decide
example : #[1,2].getD 5 0 = 0 := by decide
example : (#[1,2].map (· + 1)).toList = [2,3] := by decide
example : (#[1,2].filter (· > 1)).toList = [2] := by decide
example : #[1,2].foldl (· + ·) 0 = 3 := by decide
example : #[1,2].foldr (· + ·) 0 = 3 := by decide
example : #[1,2].any (· > 1) := by decide
example : #[1,2].all (· > 1) = false := by decide
example : #[1,2].contains 2 := by decide
example : (#[1,2].reverse).toList = [2,1] := by decide
example : (#[1,2] ++ #[3]).toList = [1,2,3] := by decide
example : (Array.range 3).toList = [0,1,2] := by decide
example : (Array.replicate 2 7).toList = [7,7] := by decide
example : #[1,2].isEmpty = false := by decide
example : #[1,2].back? = some 2 := by decide
example : (#[1,2].set! 0 9).toList = [9,2] := by decide
example : (#[1,2].mapIdx (fun i x => i + x)).toList = [1,3] := by decide
example : (#[1,2].zip #[3,4]).toList = [(1,3),(2,4)] := by decide
example : (Array.ofFn (fun i : Fin 2 => i.val)).toList = [0,1] := by decide
example : #[1,2] = #[1,2] := by decide
example : (3 : UInt8) + 254 = 1 := by decide
example : (3 : UInt8).toNat = 3 := by decide
example : (3 : UInt32) * 2 = 6 := by decide
example : (3 : UInt64) - 4 = 18446744073709551615 := by decide
example : (300 : Nat).toUInt8 = 44 := by decide
example : (1 : UInt64) <<< 3 = 8 := by decide
example : (5 : UInt64) &&& 4 = 4 := by decide
example : (7 : UInt64) / 2 = 3 := by decide
example : (7 : UInt16) % 4 = 3 := by decide
example : (3 : UInt8) < 4 := by decide
example : (3 : UInt8).toUInt64 = 3 := by decide
example : (5 : BitVec 4) + 12 = 1 := by decide
example : (5 : BitVec 4).toNat = 5 := by decide
example : (Fin.ofNat 5 7).val = 2 := by decide
example : (3 : Fin 5) + 4 = 2 := by decide
example : (Prod.swap (1, 2)) = (2, 1) := by decide
example : (Prod.map (· + 1) (· + 2) (1, 2)) = (2, 4) := by decide
example : (Std.HashMap.ofList [(1,2)]).get? 1 = some 2 := by decide
example : ((Std.HashMap.emptyWithCapacity : Std.HashMap Nat Nat).insert 1 2).size = 1 := by decide
example : (Std.HashMap.ofList [(1,2)]).contains 1 := by decide
example : (Std.HashMap.ofList [(1,2)]).getD 5 0 = 0 := by decide
example : ((Std.HashMap.ofList [(1,2),(3,4)]).erase 1).toList = [(3,4)] := by decide
example : (Std.HashSet.ofList [1,2]).contains 2 := by decide
example : ((Std.HashSet.ofList [1,2]).insert 3).size = 3 := by decide
example : Ordering.swap .lt = .gt := by decide
example : Ordering.isLE .lt := by decide
example : (compare 1 2).isLT := by decide
example : (if 3 < 4 then 1 else 2) = 1 := by decide
example : (decide (3 < 4)) = true := by decide
example : (bif true then 1 else 2) = 1 := by decide
example : flip (· - ·) 1 3 = 2 := by decide
example : (3 == 3) = true := by decide
example : ((1, 2) == (1, 2)) = true := by decide
example : (some 3 == some 3) = true := by decide
example : ([1] == [1]) = true := by decide
