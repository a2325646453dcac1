;; Patterns: parts of vectors and maps under names.

;; Vectors
(let [[a b] [1 2]] (+ a b)) ;=> 3
(let [[a] [1 2 3]] a) ;=> 1
(let [[a & more] [1 2 3]] more) ;=> [2 3]
(let [[a & more] [1]] more) ;=> []
(let [[a b] nil] [a b]) ;=> [nil nil]
(let [[a & more] nil] [a more]) ;=> [nil []]
(let [[[a b] [c]] [[1 2] [3]]] [a b c]) ;=> [1 2 3]
(let [[_ second-item] [:skip :take]] second-item) ;=> :take
(let [[a & [b c]] [1 2 3]] [a b c]) ;=> [1 2 3]
(let [[x {:keys [y]}] [1 {:y 2}]] [x y]) ;=> [1 2]
(let [[head & {:keys [n]}] [1]] n) ;!! destructure_error
(let [[[a]] [nil]] a) ;=> nil
(let [[a b] 5] a) ;!! destructure_error
(let [[a b] "xy"] a) ;!! destructure_error
(let [[a] {:a 1}] a) ;!! destructure_error
(let [[a b :as all] [1 2]] all) ;!! unsupported_pattern
(let [[a & b c] [1 2 3]] a) ;!! invalid_form
(let [[a &] [1]] a) ;!! invalid_form

;; Maps
(let [{:keys [id name]} {:id 7 :name "Bo"}] [id name]) ;=> [7 "Bo"]
(let [{:keys [id]} {"id" 7}] id) ;=> 7
(let [{:keys [user-id]} {"user_id" 7}] user-id) ;=> nil
(let [{:keys [:a :b]} {:a 1 :b 2}] [a b]) ;=> [1 2]
(let [{:keys [a]} {}] a) ;=> nil
(let [{:keys [a]} nil] a) ;=> nil
(let [{:keys [a] :or {a 9}} {}] a) ;=> 9
(let [{:keys [a] :or {a 9}} {:a nil}] a) ;=> nil
(let [{:keys [a] :or {a 9}} {"a" 3}] a) ;=> 3
(let [{:keys [w h] :or {h (* 2 w)}} {:w 4}] h) ;=> 8
(let [{:keys [a] :or {a (inc nil)}} {:a 1}] a) ;=> 1
(let [{total :sum} {:sum 12}] total) ;=> 12
(let [{city "city"} {:city "Ulm"}] city) ;=> "Ulm"
(let [{v k} {:k 5}] v) ;=> 5
(let [{{:keys [zip]} :to} {:to {:zip "89073"}}] zip) ;=> "89073"
(let [{[a b] :pair} {:pair [3 4]}] (- b a)) ;=> 1
(let [{:keys [a] :as all} {:a 1 :b 2}] [a (count all)]) ;=> [1 2]
(let [{a :a :or {a "none"}} {:b 1}] a) ;=> "none"
(let [{:as all} {:a 1}] all) ;!! unsupported_pattern
(let [{:strs [a]} {"a" 1}] a) ;!! unsupported_pattern
(let [{:keys a} {:a 1}] a) ;!! invalid_form
(let [{:keys [a]} [1]] a) ;!! destructure_error
(let [{:keys [a]} 5] a) ;!! destructure_error
(let [5 1] 2) ;!! unsupported_pattern
(let ["a" 1] 2) ;!! unsupported_pattern
(let [:a 1] 2) ;!! unsupported_pattern
(let [(a b) [1 2]] a) ;!! unsupported_pattern

;; Where patterns stand
((fn [[a b]] (* a b)) [3 4]) ;=> 12
((fn [{:keys [qty price]}] (* qty price)) {:qty 3 :price 5}) ;=> 15
((fn [a {:keys [b] :or {b 2}} & [c]] [a b c]) 1 {} 3) ;=> [1 2 3]
((fn [a & rest] [a rest]) 1 2 3) ;=> [1 [2 3]]
(defn area [{:keys [w h] :or {h 1}}] (* w h)) (area {:w 6}) ;=> 6
(map (fn [[k v]] (str k "=" v)) {"a" 1 "b" 2}) ;=> ["a=1" "b=2"]
(for [[sku qty] [["pen" 2] ["ink" 1]]] (str qty "x" sku)) ;=> ["2xpen" "1xink"]
(for [{:keys [n]} [{:n 1} {:n 2}] :let [[a b] [n (* n n)]]] (+ a b)) ;=> [2 6]
(loop [[x & xs] [1 2 3] sum 0] (if x (recur xs (+ sum x)) sum)) ;=> 6
(loop [{:keys [n acc]} {:n 3 :acc []}] (if (zero? n) acc (recur {:n (dec n) :acc (conj acc n)}))) ;=> [3 2 1]
(doseq [[k v] {:a 1}] (println k v))
;>> :a 1
;=> nil
(reduce (fn [total {:keys [qty]}] (+ total qty)) 0 [{:qty 2} {:qty 5}]) ;=> 7
(let [a 1 [b c] [a (inc a)] {d :d} {:d (+ b c)}] d) ;=> 3
(let [x 1 x (inc x) x (* 10 x)] x) ;=> 20
(when-let [[a] [1]] a) ;!! invalid_form
(if-let [{:keys [a]} {:a 1}] a 0) ;!! invalid_form
(def [a b] [1 2]) ;!! invalid_form
(let [[id {:keys [name] :or {name "?"}}] [4 {}]] (str id name)) ;=> "4?"
(let [{:keys [lines]} {:lines [{:n 1} {:n 2}]} [{first-n :n} & others] lines] [first-n (count others)]) ;=> [1 1]
